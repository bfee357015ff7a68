import { signInAt } from "@sealhouse/identity/testing";
import type { Served } from "../artifacts.ts";

/** A browser that may send each request to another instance. */
export type MovingBrowser = {
  get(host: Served, path: string): Promise<Response>;
  /** Sends the form of a page that posts to `action`. */
  submit(host: Served, page: string, action: string): Promise<Response>;
};

/** Signs in with the first host, and takes the callback to the second one. */
export async function signInOver(
  [first, second]: readonly [Served, Served],
  { login, home }: { readonly login: string; readonly home: string },
): Promise<MovingBrowser> {
  const browser = openMovingBrowser();
  const started = await browser.get(first, "/sign-in/with/microsoft");
  const page = new URL(started.headers.get("location") ?? "");
  const { pathname, search } = await signInAt(page, { login, redirectUri: `${home}/signin-` });
  const finished = await browser.get(second, pathname + search);
  if (finished.status !== 303) throw new Error(`${finished.status} ${await finished.text()}`);
  return browser;
}

type Sent = Pick<RequestInit, "method" | "body"> & {
  readonly headers?: Readonly<Record<string, string>>;
};

function openMovingBrowser(): MovingBrowser {
  const cookies = new Map<string, string>();
  const send = async (host: Served, path: string, init: Sent = {}) => {
    const sent = [...cookies].map(([name, value]) => `${name}=${value}`);
    const headers = { ...init.headers, cookie: sent.join("; ") };
    const answer = await host.fetch(path, { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return {
    get: (host, path) => send(host, path),
    async submit(host, page, action) {
      const html = await (await send(host, page)).text();
      const form = html.split(`action="${action}"`)[1] ?? "";
      const proof = /name="proof"\s+value="([^"]*)"/.exec(form)?.[1] ?? "";
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": "same-origin",
      };
      const body = new URLSearchParams({ proof }).toString();
      return send(host, action, { method: "POST", headers, body });
    },
  };
}
