//! Servers that require authentication: a token, certificates, a seed, credentials.

use std::fs;

use super::support::nats::Server;
use super::support::{assert_texts, folder, succeeds, words};
use super::{QUICK, timeless};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use nkeys::KeyPair as Nkey;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};

/// Variables of the environment.
type Variables<'a> = &'a [(&'a str, &'a str)];

/// Clients with these requests are rejected with this message.
fn refuses(server: &Server, url: &str, known: Variables, needles: &[&str]) {
    assert_texts(&server.run_knowing(known, url, &["workers"], "refused.log").ends(1), needles);
}

/// A worker and a match that come with these play as at home.
fn serves(server: &Server, at: &impl Fn(&str) -> String, url: &str, known: Variables) {
    let [here, far] = ["here.pgn", "far.pgn"].map(at);
    let worker = words!("worker --workers 1 --name insider");
    let _worker = server.run_knowing(known, url, &worker, "insider.log");
    server.run_knowing(known, url, &words!("{QUICK} --games 4 --pgn {far}"), "far.log").ends(0);
    succeeds(&words!("{QUICK} --games 4 --pgn {here}"));
    assert_eq!(timeless(&here), timeless(&far));
}

/// A file with this text.
fn write(at: &impl Fn(&str) -> String, name: &str, text: &str) -> String {
    let path = at(name);
    fs::write(&path, text).expect("written");
    path
}

#[test]
fn a_server_with_a_token_requires_it() {
    let (folder, at) = folder();
    let guard = "authorization { token: \"open-sesame\" }";
    let Some(server) = Server::configured(folder.path(), guard) else { return };
    let token = write(&at, "token", "open-sesame\n");
    for (known, remedy) in [
        (&[][..], "give credentials in the environment: NATS_TOKEN_FILE"),
        (&[("NATS_TOKEN", "wrong")], "the server refuses the given credentials"),
    ] {
        refuses(&server, &server.url(), known, &["authorization violation", remedy]);
    }
    serves(&server, &at, &server.url(), &[("NATS_TOKEN_FILE", &token)]);
}

/// Writes a certificate and its key, signed by this authority, or by nobody else: `NAME.pem` and `NAME.key`.
fn certify(at: &impl Fn(&str) -> String, name: &str, authority: Option<&Issuer<KeyPair>>) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let hosts = ["localhost", "127.0.0.1"].map(str::to_owned);
    let params = CertificateParams::new(hosts).expect("hosts");
    let signed = match authority {
        Some(authority) => params.signed_by(&key, authority),
        None => params.self_signed(&key),
    };
    let certificate = signed.expect("signed").pem();
    let file = |ending: &str, text: &str| write(at, &format!("{name}.{ending}"), text);
    (file("pem", &certificate), file("key", &key.serialize_pem()))
}

/// The variables with the trusted authority, and the certificate and key of the client.
fn shown<'a>(trusted: &'a str, certificate: &'a str, key: &'a str) -> [(&'a str, &'a str); 3] {
    [("NATS_CA", trusted), ("NATS_CERT", certificate), ("NATS_KEY", key)]
}

/// Both sides show certificates, and each looks at the other's.
#[test]
fn a_server_with_certificates_requires_one() {
    let (folder, at) = folder();
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let trusted = write(&at, "ca.pem", &params.self_signed(&key).expect("signed").pem());
    let authority = Issuer::new(params, key);
    let (theirs, their_key) = certify(&at, "server", Some(&authority));
    let (ours, our_key) = certify(&at, "ours", Some(&authority));
    let (foreign, foreign_key) = certify(&at, "foreign", None);
    let guard = format!("tls {{ cert_file: {theirs:?}, key_file: {their_key:?}, ca_file: {trusted:?}, verify: true }}");
    let Some(server) = Server::configured(folder.path(), &guard) else { return };
    let url = server.url().replace("nats://", "tls://");

    for (known, needles) in [
        (&[][..], &["invalid peer certificate", "NATS_CA names"][..]),
        (&shown(&foreign, &ours, &our_key), &["invalid peer certificate", "NATS_CA names"]),
        (&[("NATS_CA", &*trusted)], &["received fatal alert", "NATS_CERT and NATS_KEY"]),
        (&shown(&trusted, &foreign, &foreign_key), &["received fatal alert", "NATS_CERT and NATS_KEY"]),
        (&shown(&trusted, &ours, &foreign_key), &["could not add certificate or key", "NATS_CERT and NATS_KEY"]),
    ] {
        refuses(&server, &url, known, needles);
    }
    serves(&server, &at, &url, &shown(&trusted, &ours, &our_key));
}

#[test]
fn a_server_with_a_seed_requires_it() {
    let (folder, at) = folder();
    let (user, stranger) = (Nkey::new_user(), Nkey::new_user());
    let guard = format!("authorization {{ users: [{{ nkey: {} }}] }}", user.public_key());
    let Some(server) = Server::configured(folder.path(), &guard) else { return };
    let seed = |name, pair: &Nkey| write(&at, name, &format!("{}\n", pair.seed().expect("a seed")));
    let (ours, foreign) = (seed("ours.nk", &user), seed("foreign.nk", &stranger));
    for known in [&[][..], &[("NATS_NKEY", &*foreign)]] {
        refuses(&server, &server.url(), known, &["authorization violation", "NATS_NKEY"]);
    }
    serves(&server, &at, &server.url(), &[("NATS_NKEY", &ours)]);
}

/// A JWT of NATS: claims of an issuer about a subject.
fn claim(issuer: &Nkey, subject: &Nkey, claims: Value) -> String {
    let encode = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let head = encode(json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let subject = subject.public_key();
    let body =
        json!({ "jti": subject, "iat": 0, "iss": issuer.public_key(), "sub": subject, "name": "q", "nats": claims });
    let signed = format!("{head}.{}", encode(body));
    let signature = issuer.sign(signed.as_bytes()).expect("signed");
    format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

/// An operator vouches for accounts, an account for its users; they come with a file of credentials.
#[test]
fn a_server_of_an_operator_requires_credentials() {
    let (folder, at) = folder();
    let (operator, account, system) = (Nkey::new_operator(), Nkey::new_account(), Nkey::new_account());
    let vouched = |account, limits: Value| {
        let claims = json!({ "type": "account", "version": 2, "limits": limits });
        claim(&operator, account, claims)
    };
    let common = json!({ "subs": -1, "data": -1, "payload": -1, "conn": -1 });
    let mut streams = common.clone();
    for name in ["mem_storage", "disk_storage", "streams", "consumer"] {
        streams[name] = json!(-1);
    }
    let guard = format!(
        "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{ {}: {}, {}: {} }}",
        claim(&operator, &operator, json!({ "type": "operator", "version": 2 })),
        system.public_key(),
        account.public_key(),
        vouched(&account, streams),
        system.public_key(),
        vouched(&system, common),
    );
    let Some(server) = Server::configured(folder.path(), &guard) else { return };
    let credentials = |name, account: &Nkey| {
        let user = Nkey::new_user();
        let claims = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{}\n\
             ------END USER NKEY SEED------\n",
            claim(account, &user, claims),
            user.seed().expect("a seed")
        );
        write(&at, name, &text)
    };
    let (ours, foreign) = (credentials("ours.creds", &account), credentials("foreign.creds", &Nkey::new_account()));
    for known in [&[][..], &[("NATS_CREDS", &*foreign)]] {
        refuses(&server, &server.url(), known, &["authorization violation", "NATS_CREDS"]);
    }
    serves(&server, &at, &server.url(), &[("NATS_CREDS", &ours)]);
}
