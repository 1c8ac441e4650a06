//! How to get in: an address, and secrets from files and the environment.

use crate::link::NatsError;
use async_nats::ConnectOptions;
use std::env;
use std::fs;
use std::path::PathBuf;

/// Where the server is and who we are. The names of the variables are those of the `nats` command.
#[derive(Clone, Default)]
pub struct Access {
    /// Addresses, separated by commas.
    url: String,
    token: Option<String>,
    user: Option<(String, String)>,
    creds: Option<PathBuf>,
    nkey: Option<String>,
    ca: Option<PathBuf>,
    certificate: Option<(PathBuf, PathBuf)>,
}

impl Access {
    /// The server at `url`, with what the environment says: `NATS_CREDS`, `NATS_NKEY`, `NATS_CA`, `NATS_CERT` and `NATS_KEY` name
    /// files; `NATS_TOKEN`, or `NATS_USER` and `NATS_PASSWORD`, are secrets, and `NATS_TOKEN_FILE` and `NATS_PASSWORD_FILE` name files
    /// that hold them.
    ///
    /// # Errors
    /// A secret stands in the address, where everybody on the machine sees it, or a file cannot be read.
    pub fn from_environment(url: &str) -> Result<Access, NatsError> {
        Access::with(url, &|name| env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn with(url: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Access, NatsError> {
        if url.contains('@') {
            let text = "--nats: a secret in the address can be read by everybody on this machine; give the address alone, and \
                        NATS_USER with NATS_PASSWORD_FILE, NATS_TOKEN_FILE or NATS_CREDS in the environment";
            return Err(NatsError::Access(text.to_owned()));
        }
        let file = |name: &str| variable(name).map(PathBuf::from);
        let secret = |name: &str| -> Result<Option<String>, NatsError> {
            let path = variable(&format!("{name}_FILE"));
            let read = |path: String| {
                let text = fs::read_to_string(&path);
                text.map_err(|error| {
                    NatsError::Access(format!("{path}, which {name}_FILE names, cannot be read ({error})"))
                })
            };
            let found = path.map(read).transpose()?.or_else(|| variable(name));
            Ok(found.map(|text| text.trim().to_owned()))
        };
        let nkey = variable("NATS_NKEY").map(|path| {
            let text = fs::read_to_string(&path);
            text.map_err(|error| NatsError::Access(format!("{path}, which NATS_NKEY names, cannot be read ({error})")))
        });
        Ok(Access {
            url: url.to_owned(),
            token: secret("NATS_TOKEN")?,
            user: variable("NATS_USER")
                .map(|user| Ok((user, secret("NATS_PASSWORD")?.unwrap_or_default())))
                .transpose()?,
            creds: file("NATS_CREDS"),
            nkey: nkey.transpose()?.map(|text| text.trim().to_owned()),
            ca: file("NATS_CA"),
            certificate: both(file("NATS_CERT"), file("NATS_KEY"))?,
        })
    }

    /// Where the server is.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub(crate) async fn options(&self) -> Result<ConnectOptions, NatsError> {
        let mut options = ConnectOptions::new();
        if let Some(path) = &self.creds {
            let wrong = |error| {
                NatsError::Access(format!("{}, which NATS_CREDS names, cannot be used ({error})", path.display()))
            };
            options = options.credentials_file(path).await.map_err(wrong)?;
        }
        if let Some(seed) = &self.nkey {
            options = options.nkey(seed.clone());
        }
        if let Some(token) = &self.token {
            options = options.token(token.clone());
        }
        if let Some((user, password)) = &self.user {
            options = options.user_and_password(user.clone(), password.clone());
        }
        if let Some(path) = &self.ca {
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        Ok(options)
    }
}

/// A certificate and its key; one alone is a mistake that no server tells.
fn both(certificate: Option<PathBuf>, key: Option<PathBuf>) -> Result<Option<(PathBuf, PathBuf)>, NatsError> {
    let lacking = match (&certificate, &key) {
        (Some(_), None) => "NATS_CERT is set and NATS_KEY is not",
        (None, Some(_)) => "NATS_KEY is set and NATS_CERT is not",
        _ => return Ok(certificate.zip(key)),
    };
    Err(NatsError::Access(format!("{lacking}: name both files, or neither")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_come_from_files_and_the_environment_and_never_from_the_address() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        fs::write(&path, "in the file\n").expect("written");
        let path = path.display().to_string();
        let variables = |name: &str| match name {
            "NATS_TOKEN" => Some("in the environment".to_owned()),
            "NATS_TOKEN_FILE" => Some(path.clone()),
            "NATS_USER" => Some("me".to_owned()),
            "NATS_PASSWORD" => Some("word".to_owned()),
            _ => None,
        };
        let access = Access::with("nats://host:4222", &variables).expect("fine");
        assert_eq!(access.token.as_deref(), Some("in the file"));
        assert_eq!(access.user, Some(("me".to_owned(), "word".to_owned())));
        let told = |url: &str, variables: &dyn Fn(&str) -> Option<String>| match Access::with(url, variables) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert!(told("nats://me:word@host", &|_| None).contains("NATS_PASSWORD_FILE"));
        let missing = |name: &str| (name == "NATS_NKEY").then(|| "/no/such/file".to_owned());
        assert!(told("host", &missing).contains("/no/such/file"));
        for alone in ["NATS_CERT", "NATS_KEY"] {
            let half = |name: &str| (name == alone).then(|| "client.pem".to_owned());
            assert!(told("host", &half).starts_with(&format!("{alone} is set")), "{alone}");
        }
        let whole = |name: &str| ["NATS_CERT", "NATS_KEY"].contains(&name).then(|| "client.pem".to_owned());
        assert_eq!(told("host", &whole), "");
    }
}
