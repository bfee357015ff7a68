/** The registry's public URL, split into the parts that shell lines need. */
export type PublicAddress = {
  /** Without trailing slash: `https://packages.example.com`, `http://localhost:8080/registry`. */
  readonly base: string;
  /** Path of the base URL, "" or `/registry`; prefix of links between pages. */
  readonly root: string;
  /** Host with port, such as `localhost:8080`; prefix of container image names. */
  readonly host: string;
  readonly secure: boolean;
  /** Whether the host is this machine. Container clients then allow plain HTTP by default. */
  readonly local: boolean;
};

/** Shell lines contain the address, so only plain host names and paths are allowed. */
const HOST = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/;
const PATH = /^(?:\/(?:[\w.~@+:-]|%[\dA-Fa-f]{2})+)*$/;
const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::|$)/;

/** Parses the public URL. Undefined when it is not an http(s) URL or is unsafe in a shell line. */
export function parsePublicAddress(text: string): PublicAddress | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  const path = url.pathname.replace(/\/$/, "");
  const plain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!plain || !HOST.test(url.host) || !PATH.test(path)) return undefined;
  return {
    base: url.origin + path,
    root: path,
    host: url.host,
    secure: url.protocol === "https:",
    local: LOCAL.test(url.host),
  };
}
