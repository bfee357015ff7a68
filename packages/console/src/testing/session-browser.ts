import { sureIn } from "./administration-browser.ts";
import type { openExampleSessions } from "./example-sessions.ts";

type Example = Pick<ReturnType<typeof openExampleSessions>, "app" | "home" | "sessions" | "ports">;

type Sent = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
};

/** Name of the cookie of a session. */
export const SESSION = "__Host-sealhouse";

/** Headers of a form that a page of the registry sends. */
export const OWN_FORM = { "sec-fetch-site": "same-origin" };

/** A browser with its own cookies, which follows no redirect. */
export function openSessionBrowser({ app, home, sessions, ports }: Example) {
  const cookies = new Map<string, string>();
  const send = async (method: string, path: string, { headers = {}, fields }: Sent = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await app.request(new URL(path, home).href, {
      method,
      headers: {
        ...(cookie !== "" && { cookie }),
        ...(fields && { "content-type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
      ...(fields && { body: new URLSearchParams(fields).toString() }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    send("GET", path, { headers });
  const proofOn = async (path: string, action = "") => {
    const html = await (await get(path)).text();
    const form = action === "" ? html : (html.split(`action="${action}"`)[1] ?? "");
    return /name="proof"\s+value="([^"]*)"/.exec(form)?.[1] ?? "";
  };
  let confirms = false;
  /** Confirms the form of an answer, as a new sign-in at the provider does. */
  const confirmed = async (answer: Response): Promise<Response> => {
    const path = answer.headers.get("location") ?? "";
    if (!path.startsWith("/account/confirm/")) return answer;
    const session = await sessions.find(cookies.get(SESSION) ?? "", { mayRotate: false });
    if (!session) throw new Error("there is no session to confirm");
    await ports.confirmations.confirm(session, path.split("/").at(-1) ?? "");
    const fields = { proof: await proofOn(path, path) };
    return send("POST", path, { fields, headers: OWN_FORM });
  };
  return {
    cookies,
    get,
    proofOn,
    /** From now on, confirms each form that asks for it; `confirm(false)`: no longer. */
    confirm: (isConfirming = true) => void (confirms = isConfirming),
    confirmed,
    post: async (
      path: string,
      fields: Readonly<Record<string, string>>,
      headers: Readonly<Record<string, string>> = OWN_FORM,
    ) => {
      const asked = await send("POST", path, { fields, headers });
      // Pages ask before something ends; `sure: ""` only asks.
      const sure = "sure" in fields ? undefined : await sureIn(asked);
      const answer =
        sure === undefined
          ? asked
          : await send("POST", path, { fields: { ...fields, sure }, headers });
      return confirms ? confirmed(answer) : answer;
    },
    /** Signs in with a token, and returns the answer. */
    signInWith: async (token: string, fields: Readonly<Record<string, string>> = {}) => {
      const proof = await proofOn("/sign-in");
      return send("POST", "/sign-in", { fields: { proof, token, ...fields }, headers: OWN_FORM });
    },
    /** Follows the link to the provider, and returns the state. */
    startAtProvider: async (returnUrl = "/") => {
      const query = new URLSearchParams({ returnUrl }).toString();
      const answer = await get(`/sign-in/with/microsoft?${query}`);
      const location = new URL(answer.headers.get("location") ?? "", home);
      return location.searchParams.get("state") ?? "";
    },
  };
}
