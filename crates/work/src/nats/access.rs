//! Access to the server: an address, and secrets from files and the environment.

use crate::nats::link::NatsError;
use async_nats::ConnectOptions;
use std::env;
use std::fs;
use std::path::PathBuf;

/// Address and credentials. The names of the variables are those of the `nats` command.
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
    /// The server at `url`, with settings from the environment: `NATS_CREDS`, `NATS_NKEY`, `NATS_CA`, `NATS_CERT` and `NATS_KEY`
    /// name files; `NATS_TOKEN`, or `NATS_USER` and `NATS_PASSWORD`, are secrets, and `NATS_TOKEN_FILE` and `NATS_PASSWORD_FILE`
    /// name files that hold them.
    ///
    /// # Errors
    /// The address is empty or contains a secret, which all users of the machine can read, or a file cannot be read.
    pub fn from_environment(url: &str) -> Result<Access, NatsError> {
        Access::with(url, &|name| env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn with(url: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Access, NatsError> {
        if url.trim().is_empty() {
            return Err(NatsError::Access("cannot use the address of --nats: it is empty; give HOST:PORT".to_owned()));
        }
        if url.contains('@') {
            let text = "cannot use the address of --nats: it holds a secret that everybody on this machine can read; give the address alone, \
                        and NATS_USER with NATS_PASSWORD_FILE, NATS_TOKEN_FILE or NATS_CREDS in the environment";
            return Err(NatsError::Access(text.to_owned()));
        }
        let read = |name: &str| -> Result<Option<(String, String)>, NatsError> {
            let Some(path) = variable(name) else { return Ok(None) };
            match fs::read_to_string(&path) {
                Ok(text) => Ok(Some((path, text.trim_start_matches('\u{feff}').trim().to_owned()))),
                Err(error) => Err(NatsError::Access(format!(
                    "cannot read `{path}` of {name}: {error}; check the path and the permissions"
                ))),
            }
        };
        let secret = |name: &str| -> Result<Option<String>, NatsError> {
            let found = read(&format!("{name}_FILE"))?.map(|(_, text)| text);
            Ok(found.or_else(|| variable(name).map(|text| text.trim().to_owned())))
        };
        // The library checks the content of the other files, but its errors do not name the file.
        let holding = |name: &str, what: &str, sign: &str| -> Result<Option<(String, String)>, NatsError> {
            match read(name)? {
                Some((path, text)) if !text.contains(sign) => Err(NatsError::Access(format!(
                    "cannot use `{path}` of {name}: it holds no {what}; give another file"
                ))),
                found => Ok(found),
            }
        };
        let file = |name: &str, what: &str, sign: &str| -> Result<Option<PathBuf>, NatsError> {
            Ok(holding(name, what, sign)?.map(|(path, _)| PathBuf::from(path)))
        };
        let certificate = |name: &str| file(name, "certificate in PEM", "BEGIN CERTIFICATE");
        let key = file("NATS_KEY", "private key in PEM", "PRIVATE KEY")?;
        Ok(Access {
            url: url.to_owned(),
            token: secret("NATS_TOKEN")?,
            user: variable("NATS_USER")
                .map(|user| Ok((user, secret("NATS_PASSWORD")?.unwrap_or_default())))
                .transpose()?,
            creds: file("NATS_CREDS", "credentials of a user", "NATS USER JWT")?,
            nkey: holding("NATS_NKEY", "seed of a user (SU...)", "SU")?.map(|(_, text)| text),
            ca: certificate("NATS_CA")?,
            certificate: both(certificate("NATS_CERT")?, key)?,
        })
    }

    /// The address of the server.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns true if there is a token, a password or a key that the server could refuse.
    pub(crate) fn has_credentials(&self) -> bool {
        self.token.is_some() || self.user.is_some() || self.creds.is_some() || self.nkey.is_some()
    }

    pub(crate) async fn options(&self) -> Result<ConnectOptions, NatsError> {
        let mut options = ConnectOptions::new();
        if let Some(path) = &self.creds {
            let wrong = |error| {
                NatsError::Access(format!("cannot use `{}` of NATS_CREDS: {error}; give another file", path.display()))
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

/// A certificate and its key; no server reports that one of them is missing.
fn both(certificate: Option<PathBuf>, key: Option<PathBuf>) -> Result<Option<(PathBuf, PathBuf)>, NatsError> {
    let lacking = match (&certificate, &key) {
        (Some(_), None) => "NATS_CERT is set and NATS_KEY is not",
        (None, Some(_)) => "NATS_KEY is set and NATS_CERT is not",
        _ => return Ok(certificate.zip(key)),
    };
    Err(NatsError::Access(format!("cannot identify this machine: {lacking}; name both files, or neither")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_come_from_files_and_the_environment_and_never_from_the_address() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        fs::write(&path, "\u{feff}in the file\r\n").expect("written");
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
        assert!(access.has_credentials());
        assert!(!Access::with("nats://host:4222", &|_| None).expect("fine").has_credentials());
        let error_of = |url: &str, variables: &dyn Fn(&str) -> Option<String>| match Access::with(url, variables) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert!(error_of("nats://me:word@host", &|_| None).contains("NATS_PASSWORD_FILE"));
        assert!(error_of("", &|_| None).contains("it is empty"));
        for (name, what) in [
            ("NATS_CREDS", "credentials"),
            ("NATS_NKEY", "seed"),
            ("NATS_CA", "certificate"),
            ("NATS_CERT", "certificate"),
            ("NATS_KEY", "private key"),
        ] {
            let missing = error_of("host", &|requested| (requested == name).then(|| "/no/such/file".to_owned()));
            assert!(missing.starts_with(&format!("cannot read `/no/such/file` of {name}: ")), "{missing}");
            let wrong = error_of("host", &|requested| (requested == name).then(|| path.clone()));
            assert!(wrong.contains(&format!("` of {name}: it holds no {what}")), "{wrong}");
        }
        let client = folder.path().join("client.pem");
        fs::write(&client, "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n").expect("written");
        let client = client.display().to_string();
        for alone in ["NATS_CERT", "NATS_KEY"] {
            let half = |name: &str| (name == alone).then(|| client.clone());
            assert!(error_of("host", &half).contains(&format!(": {alone} is set")), "{alone}");
        }
        let whole = |name: &str| ["NATS_CERT", "NATS_KEY"].contains(&name).then(|| client.clone());
        assert_eq!(error_of("host", &whole), "");
    }
}
