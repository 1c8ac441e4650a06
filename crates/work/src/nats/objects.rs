//! Files of tasks: on the server by their digests, and once on every machine.

use crate::nats::link::{NatsError, chain};
use crate::nats::names::BUCKET;
use crate::{Digest, ObjectFolder, Objects};
use async_nats::jetstream::Context;
use async_nats::jetstream::object_store::{Config, ObjectStore};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tokio::io::AsyncReadExt;
use tokio::runtime::Handle;

async fn bucket(js: &Context) -> Result<ObjectStore, NatsError> {
    if let Ok(store) = js.get_object_store(BUCKET).await {
        return Ok(store);
    }
    let config = Config { bucket: BUCKET.to_owned(), ..Config::default() };
    let made = js.create_object_store(config).await;
    made.map_err(|error| NatsError::server("create the object store", &error))
}

/// Stores a file on the server, unless it is there.
pub(crate) async fn put(js: &Context, bytes: &[u8]) -> Result<Digest, NatsError> {
    let digest = Digest::of(bytes);
    let store = bucket(js).await?;
    let name = digest.to_string();
    if store.info(name.as_str()).await.is_ok_and(|info| info.size == bytes.len()) {
        return Ok(digest);
    }
    let stored = store.put(name.as_str(), &mut &*bytes).await;
    stored.map(|_| digest).map_err(|error| NatsError::server("store a file", &error))
}

/// Fetches files from the server when a task needs them.
pub(crate) struct ObjectCache {
    js: Context,
    handle: Handle,
    files: ObjectFolder,
    /// One file is fetched at a time, and only once.
    fetching: Mutex<()>,
}

impl ObjectCache {
    pub fn new(js: Context, handle: Handle, folder: PathBuf) -> ObjectCache {
        ObjectCache { js, handle, files: ObjectFolder(folder), fetching: Mutex::new(()) }
    }
}

async fn fetch(js: &Context, digest: &Digest) -> Result<Vec<u8>, String> {
    let store = bucket(js).await.map_err(|error| error.to_string())?;
    let mut object = store.get(digest.to_string()).await.map_err(|error| chain(&error))?;
    let mut bytes = Vec::new();
    object.read_to_end(&mut bytes).await.map_err(|error| chain(&error))?;
    Ok(bytes)
}

impl Objects for ObjectCache {
    fn path(&self, digest: &Digest) -> Result<PathBuf, String> {
        let _one = self.fetching.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(path) = self.files.path(digest) {
            return Ok(path);
        }
        let name = digest.short();
        let bytes = self.handle.block_on(fetch(&self.js, digest));
        let bytes = bytes.map_err(|reason| format!("cannot fetch file {name} from the object store: {reason}"))?;
        let stored = self.files.put(&bytes).map_err(|error| format!("{}: {error}", self.files.0.display()))?;
        if stored == *digest {
            Ok(self.files.path_of(digest))
        } else {
            Err(format!(
                "cannot use file {name} of the object store: it is damaged; delete it there, and start the command again"
            ))
        }
    }
}
