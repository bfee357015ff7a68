import { NPM_ROUTES } from "@sealhouse/npm-protocol";
import type { Scope } from "@sealhouse/identity";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AskedTwins, TwinHost } from "./hidden-twins.ts";
import { COMPARABLE, openTwinHost, shownAnswer, viewTime } from "./hidden-twins.ts";

const TWINS: AskedTwins = {
  healthy: ["@hidden/secret", "@absent/nobody"],
  failing: ["@veiled/closed", "@vacant/no-one"],
};
/** The forms of an address: plain, before a change, in a view. */
const FORMS = ["/npm{path}", "/npm{path}?write=true", "/@{time}/npm{path}"] as const;
const JSON_TYPE = { "content-type": "application/json" };
const UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const REVISION = `1-${"0".repeat(32)}`;

/** Names of people and tokens, and answers that are new each time. */
const OF_ACCOUNTS = /login|done|tokens?\b|org\.couchdb\.user|npm\/v1\/user/;

/** Requests for a package at each address of the registry. */
const requests = NPM_ROUTES.filter(({ path }) => !OF_ACCOUNTS.test(path)).flatMap(
  ({ path, methods }) =>
    methods.flatMap((method) =>
      valuesOf(path).map((value) => ({
        method,
        path: path.replaceAll(/\{[^}]+\}/g, (name) => (name === "{*}" ? value : valueOf(name))),
      })),
    ),
);

function valuesOf(path: string): readonly string[] {
  if (!path.includes("{*}")) return [""];
  if (path.startsWith("/{package}/")) return ["1.0.0", "latest", "-/{basename}-1.0.0.tgz"];
  if (path.includes("attestations")) return ["{package}@1.0.0"];
  if (path.startsWith("/-/org")) return ["{scope}/package", "{scope}/user", "{scope}/team"];
  if (path.startsWith("/-/team")) return ["{scope}/developers/package", "{scope}/developers/user"];
  return ["{package}"];
}

function valueOf(placeholder: string): string {
  const values: Readonly<Record<string, string>> = {
    "{package}": "{package}",
    "{tag}": "latest",
    "{revision}": REVISION,
    "{name}": "owner-of-{scope}",
  };
  return values[placeholder] ?? UUID;
}

/** To publish a hidden name, or to prepare that, is refused as for a name of others. */
const PUBLISHES =
  /^(?:PUT|POST) (?:\/\{package\}(?:\/-rev.*)?|\/-\/stage\/package.*|.*\/trust|.*v[01]\/publish)$/;

/** Every body that an address may understand. */
function bodyOf({ method, path }: (typeof requests)[number], name: string): string | undefined {
  if (method === "GET" || method === "DELETE") return undefined;
  if (path.includes("dist-tags")) return '"1.0.0"';
  if (path.endsWith("/trust")) {
    const claims = { repository: "acme/demo", workflow_ref: { file: "publish.yml" } };
    return JSON.stringify([{ type: "github", claims, permissions: ["createPackage"] }]);
  }
  if (path.endsWith("/access")) return '{"access":"restricted"}';
  if (path.includes("-rev")) return '{"maintainers":[{"name":"me"}]}';
  if (path.endsWith("/bulk")) return JSON.stringify({ [name]: ["1.0.0"] });
  if (path.includes("/audits")) {
    return JSON.stringify({ dependencies: { [name]: { version: "1.0.0" } } });
  }
  const document = publishBody({ name });
  return path.endsWith("v1/publish") || path.endsWith("v0/publish")
    ? `{"packages":[${document}]}`
    : document;
}

function formsOf({ method, path }: (typeof requests)[number]): readonly (typeof FORMS)[number][] {
  if (method !== "GET") return [FORMS[0]];
  return path.startsWith("/{package}") ? FORMS : [FORMS[0], FORMS[2]];
}

const NARROW = ["read", "read,write,delete", "publish", "stage", "write", "delete"];

describe.each([
  { what: "a package that a token does not cover", isPrivate: false },
  { what: "a private package, where anonymous callers may read", isPrivate: true },
])("$what", ({ isPrivate }) => {
  const cleanUp = new AsyncDisposableStack();
  let twins: TwinHost;
  let time = "";
  const tokens = new Map<string, string | undefined>([["anonymous callers", undefined]]);

  beforeAll(async () => {
    twins = cleanUp.use(await openTwinHost("npm", TWINS, { anonymousReading: isPrivate }));
    const { host, owner } = twins;
    const headers = { ...JSON_TYPE, authorization: `Bearer ${owner}` };
    for (const [name] of [TWINS.healthy, TWINS.failing]) {
      const body = publishBody({ name, version: "2.0.0" });
      const address = `/npm/-/stage/package/${name.replace("/", "%2f")}`;
      const answer = await host.fetch(address, { method: "POST", headers, body });
      expect(answer.ok, await answer.text()).toBe(true);
    }
    if (isPrivate) {
      await twins.hide();
      tokens.set("stranger", twins.stranger);
      // A reservation of others must not tell an unknown name from a hidden one.
      for (const prefix of ["@hidden/", "@absent/"]) await twins.reserve(prefix);
    }
    for (const scopes of NARROW) {
      tokens.set(scopes, await twins.narrow(scopes.split(",") as Scope[], ["@acme/*"]));
    }
    time = viewTime();
  });
  afterAll(() => cleanUp.disposeAsync());

  async function answerTo(
    request: (typeof requests)[number],
    {
      name,
      token,
      form,
    }: { name: string; token: string | undefined; form: (typeof FORMS)[number] },
  ) {
    const [scope = "", basename = ""] = name.slice(1).split("/");
    const path = request.path
      .replaceAll("{package}", name.replace("/", "%2f"))
      .replaceAll("{basename}", basename)
      .replaceAll("{scope}", scope);
    const body = bodyOf(request, name);
    const address = form.replace("{time}", time).replace("{path}", path);
    const answer = await twins.host.fetch(address, {
      method: request.method,
      headers: {
        ...COMPARABLE,
        ...JSON_TYPE,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        "if-none-match": "*",
      },
      ...(body !== undefined && { body }),
    });
    return shownAnswer(answer, name);
  }

  type Case = { readonly who: string; readonly state: keyof AskedTwins };

  async function compare({ who, state }: Case): Promise<void> {
    const token = tokens.get(who);
    const [hiddenName, absentName] = TWINS[state];
    const differences: string[] = [];
    for (const request of requests) {
      const { method, path } = request;
      if (who === "stranger" && PUBLISHES.test(`${method} ${path}`)) continue;
      for (const form of formsOf(request)) {
        const hidden = await answerTo(request, { name: hiddenName, token, form });
        const absent = await answerTo(request, { name: absentName, token, form });
        const what = `${method} ${form} ${path}`;
        if (hidden !== absent) differences.push(`${what}: ${hidden} but ${absent}`);
        if (/"total":[1-9]|sha512/.test(hidden)) differences.push(`${what}: ${hidden}`);
      }
    }
    expect(differences).toEqual([]);
  }

  const readers = isPrivate ? ["anonymous callers", "stranger"] : ["anonymous callers"];
  const healthy = [...readers, ...NARROW].map((who) => ({ who, state: "healthy" }) as const);
  test.each<Case>(healthy)(
    "is as if it did not exist, at every address, for $who",
    async (one) => {
      expect(requests.length).toBeGreaterThan(40);
      await compare(one);
    },
    60_000,
  );

  const failing = isPrivate ? readers.map((who) => ({ who, state: "failing" }) as const) : [];
  test.each<Case>(failing)(
    "is as if it did not exist, while the source fails, for $who",
    async (one) => {
      await twins.failSource();
      await compare(one);
    },
    60_000,
  );
});
