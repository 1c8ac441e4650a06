//! Access control: only the page of this server may send requests.
//!
//! Any web page can send requests to the loopback interface. Three checks reject them. `Host` must be the loopback address itself,
//! so that a foreign name that resolves to it fails. `Origin` or `Sec-Fetch-Site`, which browsers always add to cross-site requests,
//! must name this server. Requests that change state must carry the key that is written into our page and that other pages cannot
//! read.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use std::sync::Arc;

use super::ServerState;

/// The header that carries the key.
const KEY: &str = "x-quarterply-key";
const FETCH_SITE: &str = "sec-fetch-site";

/// Lets a request pass or refuses it.
pub async fn check(State(state): State<Arc<ServerState>>, request: Request, next: Next) -> Response {
    if let Err(reason) = allowed(request.headers(), request.method(), state.port, &state.key) {
        return (StatusCode::FORBIDDEN, Json(json!({"error": reason}))).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn allowed(headers: &HeaderMap, method: &Method, port: u16, key: &str) -> Result<(), &'static str> {
    /// Browsers omit the usual port of HTTP.
    const USUAL_PORT: &str = "80";
    let own = |host: &str| {
        let (name, found) = host.split_once(':').unwrap_or((host, USUAL_PORT));
        matches!(name, "127.0.0.1" | "localhost") && found == port.to_string()
    };
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if !text("host").is_some_and(own) {
        return Err("this server answers only to its own address");
    }
    if let Some(origin) = text("origin")
        && !origin.strip_prefix("http://").is_some_and(own)
    {
        return Err("another web page asked for this");
    }
    if text(FETCH_SITE).is_some_and(|site| site != "same-origin" && site != "none") {
        return Err("another web page asked for this");
    }
    if method != Method::GET && text(KEY) != Some(key) {
        return Err("the key is missing or from an earlier run: load the page again");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_other_pages_are_refused() {
        type Case<'a> = (&'a str, Method, &'a [(&'static str, &'static str)], bool);
        const OWN: (&str, &str) = ("host", "127.0.0.1:4000");
        let cases: &[Case<'_>] = &[
            ("the page itself", Method::GET, &[OWN], true),
            ("by name", Method::GET, &[("host", "localhost:4000")], true),
            ("no host", Method::GET, &[], false),
            ("a foreign name for the same address", Method::GET, &[("host", "evil.example:4000")], false),
            ("another port", Method::GET, &[("host", "127.0.0.1:4001")], false),
            ("own origin", Method::GET, &[OWN, ("origin", "http://127.0.0.1:4000")], true),
            ("foreign origin", Method::GET, &[OWN, ("origin", "http://evil.example")], false),
            ("no origin at all", Method::GET, &[OWN, ("origin", "null")], false),
            ("an image of a foreign page", Method::GET, &[OWN, ("sec-fetch-site", "cross-site")], false),
            ("typed in", Method::GET, &[OWN, ("sec-fetch-site", "none")], true),
            ("posted without the key", Method::POST, &[OWN], false),
            ("posted with a wrong key", Method::POST, &[OWN, (KEY, "guess")], false),
            ("posted with the key", Method::POST, &[OWN, (KEY, "secret")], true),
        ];
        for (name, method, headers, expected) in cases {
            let map = headers
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
                .collect();
            assert_eq!(allowed(&map, method, 4000, "secret").is_ok(), *expected, "{name}");
        }
    }

    #[test]
    fn the_usual_port_may_be_missing_from_the_address() {
        let mut map = HeaderMap::new();
        map.insert("host", HeaderValue::from_static("127.0.0.1"));
        map.insert("origin", HeaderValue::from_static("http://127.0.0.1"));
        assert!(allowed(&map, &Method::GET, 80, "secret").is_ok());
        assert!(allowed(&map, &Method::GET, 8080, "secret").is_err());
    }
}
