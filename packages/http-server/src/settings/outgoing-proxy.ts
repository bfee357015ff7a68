import type { Settings } from "@sealhouse/settings";
import type { OutgoingProxy, ProxyServer } from "../outgoing-proxy.ts";
import { HTTP_SERVER_SETTINGS } from "./table.ts";

const URL_KEY = "Host__OutgoingProxy__Url";
const USERNAME_KEY = "Host__OutgoingProxy__Username";
const PASSWORD_KEY = "Host__OutgoingProxy__Password";
const NO_PROXY_KEY = "Host__OutgoingProxy__NoProxy";

const OWN_SETTINGS: ProxyServer["settings"] = {
  address: URL_KEY,
  credentials: `${USERNAME_KEY} and ${PASSWORD_KEY}`,
  exceptions: NO_PROXY_KEY,
};

/**
 * Reads the proxy of outgoing requests. Without `Host__OutgoingProxy__Url`, the environment
 * variables of other programs apply: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, also
 * in lower case.
 */
export function parseOutgoingProxy(settings: Settings): OutgoingProxy | undefined {
  const own = settings.of(HTTP_SERVER_SETTINGS);
  const url = own.get(URL_KEY);
  const noProxy = own.get(NO_PROXY_KEY);
  if (url === undefined) {
    refuseCredentials(settings);
    return fromEnvironment(settings, noProxy);
  }
  if (url === "") return undefined;
  const [username, password] = [own.get(USERNAME_KEY), own.get(PASSWORD_KEY)];
  if ((username === undefined) !== (password === undefined)) {
    const missing = username === undefined ? USERNAME_KEY : PASSWORD_KEY;
    const given = username === undefined ? PASSWORD_KEY : USERNAME_KEY;
    settings.problem(given, `needs ${missing} as well`);
  }
  const server = serverOf(new URL(url), { username, password }, OWN_SETTINGS);
  return { http: server, https: server, noProxy };
}

function refuseCredentials(settings: Settings): void {
  const own = settings.of(HTTP_SERVER_SETTINGS);
  for (const key of [USERNAME_KEY, PASSWORD_KEY] as const) {
    if (own.get(key) !== undefined) settings.problem(key, `needs ${URL_KEY}`);
  }
}

function fromEnvironment(
  settings: Settings,
  noProxy: readonly string[],
): OutgoingProxy | undefined {
  const all = serverIn(settings, "ALL_PROXY");
  const http = serverIn(settings, "HTTP_PROXY") ?? all;
  const https = serverIn(settings, "HTTPS_PROXY") ?? all;
  if (!http && !https) return undefined;
  const others = variable(settings, "NO_PROXY")?.text.split(",") ?? [];
  return { ...(http && { http }), ...(https && { https }), noProxy: [...noProxy, ...others] };
}

/** The text may have no scheme: `proxy.example:3128`. */
function serverIn(settings: Settings, name: string): ProxyServer | undefined {
  const found = variable(settings, name);
  if (!found) return undefined;
  const url = URL.parse(
    /^[a-z][a-z\d+.-]*:\/\//i.test(found.text) ? found.text : `http://${found.text}`,
  );
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    settings.problem(
      found.name,
      "this environment variable is not the http or https address of a proxy. Correct it, or set " +
        `${URL_KEY}, which comes first; an empty value means no proxy`,
    );
    return undefined;
  }
  const [username, password] = [url.username, url.password].map(decoded);
  return serverOf(
    url,
    { username: username === "" ? undefined : username, password },
    {
      address: found.name,
      credentials: `the user name and password in ${found.name}`,
      exceptions: "NO_PROXY",
    },
  );
}

/** Lower case comes first, as in other programs. */
function variable({ env }: Settings, name: string) {
  const names = [name.toLowerCase(), name];
  return names
    .map((one) => ({ name: one, text: env[one]?.trim() ?? "" }))
    .find(({ text }) => text !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function serverOf(
  url: URL,
  {
    username,
    password = "",
  }: { readonly username: string | undefined; readonly password: string | undefined },
  settings: ProxyServer["settings"],
): ProxyServer {
  const address = new URL(url.origin);
  if (username === undefined) return { url: address, settings };
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return { url: address, authorization, settings };
}
