/** A public address, taken apart for the lines that clients are given. */
export type PublicAddress = {
  /** Without trailing slash: `https://packages.example.com`, `http://localhost:8080/registry`. */
  readonly base: string;
  /** Its path: "", `/registry`. What pages link to each other by. */
  readonly root: string;
  /** `localhost:8080`: what container image names start with. */
  readonly host: string;
  readonly secure: boolean;
  /** Container clients speak plain http with this machine without being told to. */
  readonly local: boolean;
};

/** Shells read the lines, so nothing but plain host names and plain paths will do. */
const HOST = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/;
const PATH = /^(?:\/[\w.~-]+)*$/;
const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::|$)/;

/** Undefined for what is no address, or one that could do harm in a shell. */
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
