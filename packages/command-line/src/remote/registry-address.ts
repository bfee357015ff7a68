import { CommandError } from "../command.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Returns the address of a registry without a final slash. `source`: the option or argument that
 * has the text.
 *
 * @throws CommandError
 */
export function registryAddress(text: string, source: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  if (!url || !isHttp || url.username !== "" || url.search !== "" || url.hash !== "") {
    throw new CommandError(
      `${source}: "${text}" is not the address of a registry, such as https://packages.example.com`,
    );
  }
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw new CommandError(`${source}: ${url.origin} would get the token unencrypted; use https.`);
  }
  return url.href.replace(/\/+$/, "");
}
