import { NPM_ROUTES } from "@sealhouse/npm-protocol";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { startHost } from "../src/testing/index.ts";

/** Names of the same length, so that answers may not differ in length. */
const [HIDDEN, ABSENT] = ["@hidden/secret", "@absent/nobody"] as const;
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

const NARROW = ["read", "read,write,delete", "publish", "stage", "write", "delete"];

describe.each([
  { what: "a package that a token does not cover", isPrivate: false },
  { what: "a private package, where anonymous callers may read", isPrivate: true },
])("$what", ({ isPrivate }) => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  const tokens = new Map<string, string | undefined>([["anonymous callers", undefined]]);

  beforeAll(async () => {
    const env = {
      Feed__Authentication__AllowAnonymousPull: String(isPrivate),
      Feed__PublicBaseUrl: "http://127.0.0.1",
    };
    host = cleanUp.use(await startHost({ env }));
    const owner = await host.makeToken({ name: "owner-of-hidden", scopes: "read,write" });
    const headers = { ...JSON_TYPE, authorization: `Bearer ${owner}` };
    for (const [method, address, version] of [
      ["PUT", `/npm/${HIDDEN.replace("/", "%2f")}`, "1.0.0"],
      ["POST", `/npm/-/stage/package/${HIDDEN.replace("/", "%2f")}`, "2.0.0"],
    ] as const) {
      const body = publishBody({ name: HIDDEN, version });
      const answer = await host.fetch(address, { method, headers, body });
      expect(answer.ok, await answer.text()).toBe(true);
    }
    if (isPrivate) await host.cli("visibility", "set", `npm:${HIDDEN}`, "private");
    if (isPrivate) {
      await host.cli("user", "add", "stranger", "--role", "publisher");
      const made = ["--name", "stranger", "--user", "stranger", "--scopes", "read,write,delete"];
      tokens.set("stranger", (await host.cli("token", "create", ...made)).stdout.trim());
      // A reservation of others must not tell an unknown name from a hidden one.
      await host.cli("team", "add", "others");
      for (const pattern of ["@hidden/*", "@absent/*"]) {
        await host.cli("reserve", "add", "npm", pattern, "others");
      }
    }
    for (const scopes of NARROW) {
      tokens.set(
        scopes,
        await host.makeToken({ name: `narrow ${scopes}`, scopes, patterns: "@acme/*" }),
      );
    }
  });
  afterAll(() => cleanUp.disposeAsync());

  async function answerTo(
    request: (typeof requests)[number],
    { name, token, query = "" }: { name: string; token: string | undefined; query?: string },
  ) {
    const [scope = "", basename = ""] = name.slice(1).split("/");
    const path = request.path
      .replaceAll("{package}", name.replace("/", "%2f"))
      .replaceAll("{basename}", basename)
      .replaceAll("{scope}", scope);
    const body = bodyOf(request, name);
    const answer = await host.fetch(`/npm${path}${query}`, {
      method: request.method,
      headers: {
        ...JSON_TYPE,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        "if-none-match": "*",
      },
      ...(body !== undefined && { body }),
    });
    const text = (await answer.text())
      .replaceAll(name, "NAME")
      .replaceAll(scope, "SCOPE")
      .replaceAll(/[A-Z]{4}-\d{4}|[0-9a-f]{8}-[0-9a-f-]{27}|[\w-]{30,}/g, "RANDOM");
    const changing = new Set(["date", "x-request-id", "last-modified"]);
    const headers = [...answer.headers].map(([header, value]) => [
      header,
      changing.has(header) ? "" : value,
    ]);
    return { status: answer.status, text, headers };
  }

  test.each(
    isPrivate ? ["anonymous callers", "stranger", ...NARROW] : ["anonymous callers", ...NARROW],
  )(
    "is as if it did not exist, at every address, for %s",
    async (who) => {
      const token = tokens.get(who);
      const differences: string[] = [];
      for (const request of requests) {
        const isPublish = PUBLISHES.test(`${request.method} ${request.path}`);
        if (who === "stranger" && isPublish) continue;
        for (const query of request.method === "GET" ? ["", "?write=true"] : [""]) {
          const hidden = await answerTo(request, { name: HIDDEN, token, query });
          const absent = await answerTo(request, { name: ABSENT, token, query });
          const what = `${request.method} ${request.path}${query}`;
          if (JSON.stringify(hidden) !== JSON.stringify(absent)) {
            differences.push(`${what}: ${JSON.stringify(hidden)} but ${JSON.stringify(absent)}`);
          }
          if (/"total":[1-9]|hidden|sha512/.test(hidden.text))
            differences.push(`${what}: ${hidden.text}`);
        }
      }
      expect(differences).toEqual([]);
      expect(requests.length).toBeGreaterThan(40);
    },
    60_000,
  );
});
