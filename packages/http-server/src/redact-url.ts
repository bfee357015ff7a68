/**
 * Parts of a URL that may contain a token: the segment after these words, and secrets in the query.
 */
const SECRET_PATHS = /(\/(?:user\/token|tokens\/token|first-administrator)\/).*/i;
const SECRET_QUERY = /([?&](?:sessionId|token|otp|password|api_?key|code|state)=)[^&]*/gi;
/** A token as this registry makes them, wherever it stands. */
const TOKEN = /shp_[0-9A-Za-z]+/g;
const SUSPICIOUS = /token|first-|%|shp_|[?&]/i;
const REDACTED = "[redacted]";

/**
 * A request's address as it may be written down. Clients log out with their token in the path, and
 * ask for the end of a login with its secret.
 */
export function redactUrl(address: string): string {
  if (!SUSPICIOUS.test(address)) return address;
  const redactedUrl = redacted(address);
  // Encoded once or twice, it has the same meaning for the server.
  const decoded = decodedPath(decodedPath(address));
  return redacted(decoded) === decoded ? redactedUrl : redacted(decoded);
}

function redacted(address: string): string {
  return address
    .replace(SECRET_PATHS, `$1${REDACTED}`)
    .replaceAll(SECRET_QUERY, `$1${REDACTED}`)
    .replaceAll(TOKEN, REDACTED);
}

/** Only what is plain afterwards: a line break must not become one. */
function decodedPath(address: string): string {
  return address.replaceAll(/%(2d|2e|2f|3a|3d|3f|5f|25|26|[3-7][0-9a-f])/gi, (_, hex: string) => {
    return String.fromCodePoint(Number.parseInt(hex, 16));
  });
}
