import { openExampleAdministration } from "./example-administration.ts";
import type { ExampleOptions, ExampleUser } from "./example-administration.ts";

const HOME = "http://localhost:8080";
const FORM = "application/x-www-form-urlencoded";

export type Fields = Readonly<Record<string, string>>;

type Example = Pick<ReturnType<typeof openExampleAdministration>, "app" | "authorizationOf">;

/** Reads pages and sends their forms, as a browser of a user does. */
export function browserOf({ app, authorizationOf }: Example) {
  const get = async (path: string, user?: ExampleUser) =>
    app.request(HOME + path, { headers: user ? { authorization: authorizationOf(user) } : {} });
  /** Answers what pages ask first; `sure: ""` only asks. */
  const post = async (
    path: string,
    fields: Fields,
    { user = "ada", ...headers }: Fields & { readonly user?: ExampleUser } = {},
  ) => {
    const request = (sent: Fields) =>
      app.request(HOME + path, {
        method: "POST",
        headers: { authorization: authorizationOf(user), "content-type": FORM, ...headers },
        body: new URLSearchParams(sent).toString(),
      });
    const answer = await request(fields);
    const sure = "sure" in fields ? undefined : await sureIn(answer);
    return sure === undefined ? answer : request({ ...fields, sure });
  };
  /** Returns the hidden fields of the form for `action`. */
  const hiddenOn = async (page: string, action: string, user: ExampleUser = "ada") => {
    const html = await (await get(page, user)).text();
    const [form = ""] =
      new RegExp(`<form[^>]*\\saction="${action}"[^]*?</form>`).exec(html) ??
      /<form[^]*<\/form>/.exec(html) ??
      [];
    const fields = form.matchAll(/type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"/g);
    return Object.fromEntries([...fields].map(([, name = "", value = ""]) => [name, value]));
  };
  const proofOn = async (page: string, action: string) =>
    (await hiddenOn(page, action))["proof"] ?? "";
  /** Sends the form for `action` that is on `page`. */
  const send = async (page: string, fields: Fields, action = page) =>
    post(action, { ...(await hiddenOn(page, action)), ...fields });
  return { get, post, hiddenOn, proofOn, send };
}

/** The pages of administrators with these sources, and a browser for them. */
export async function openAsBrowser(options: ExampleOptions = {}) {
  const example = openExampleAdministration(options);
  await example.fill();
  return { ...example, ...browserOf(example) };
}

/** Decrypts credentials of the example. */
export function secretIn(credentials: Uint8Array = new Uint8Array()): string {
  return Buffer.from(credentials.toReversed()).toString();
}

/** The digest of what ends, when an answer asks first. */
export async function sureIn(answer: Response): Promise<string | undefined> {
  const page = answer.status === 200 ? await answer.clone().text() : "";
  return /name="sure"\s+value="([^"]*)"/.exec(page)?.[1];
}
