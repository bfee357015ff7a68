import { randomUUID } from "node:crypto";
import { ADMINISTRATIVE_SCOPES } from "@sealhouse/identity";
import { GROUPS } from "@sealhouse/administration";
import { loadActions } from "@sealhouse/administration/api";
import { pathFields } from "@sealhouse/administration/inputs";
import type { Action } from "@sealhouse/administration";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { sample } from "fast-check";
import { afterAll, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import { callsOf } from "./generated-calls.ts";
import type { GeneratedCall, Schema } from "./generated-calls.ts";

const API = "/api/admin/v1";
/** Calls of each operation; `pnpm test:extended` makes more. */
const CALLS = process.env["SEALHOUSE_EXTENDED"] === "1" ? 200 : 12;

const host = await startHost({
  env: { Feed__Authentication__AllowAnonymousPull: "false", Host__AllowPrivateAddresses: "false" },
});
afterAll(() => host[Symbol.asyncDispose]());
const actions = await loadActions();
const admin = await host.makeToken({ name: "admin", scopes: "admin" });

type Document = {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly parameters?: readonly { readonly name: string; readonly in: string; schema: Schema }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: unknown }>> }>
  >;
};
const description = (await (await host.fetch(`${API}/openapi.json`)).json()) as Document;

function operationOf({ path, method }: Action): Operation {
  const operation = description.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is not in the document`);
  return operation;
}

test("the document is valid, and has every action with its scope and command", async () => {
  const checked = await new Validator().validate(structuredClone(description));
  expect(checked).toMatchObject({ valid: true });
  expect(description.openapi).toBe("3.1.1");
  for (const action of actions) {
    const operation = operationOf(action);
    expect(operation).toMatchObject({ operationId: action.id, summary: action.summary });
    expect(operation.description).toContain(action.scope);
    expect(operation.description).toContain("sealhouse ");
  }
});

test("each action has one id, one route, one command, and a form or a reason for none", () => {
  const forms = actions.flatMap(({ command }) =>
    typeof command === "string" ? [command] : command.map(({ words }) => words),
  );
  const words = forms.map((form) => form.replaceAll(/ [<[].*/g, ""));
  for (const list of [actions.map(({ id }) => id), words, actions.map(routeOf)]) {
    expect(list.filter((one, at) => list.indexOf(one) !== at)).toEqual([]);
  }
  for (const {
    id,
    form,
    summary,
    lasting,
    method,
    path,
    input,
    changes,
    changesNothing,
  } of actions) {
    expect([id, "page" in form ? form.page : form.none]).toEqual([id, expect.stringMatching(/\S/)]);
    expect([id, summary]).toEqual([id, expect.stringMatching(/^[a-z].*[^.]$/)]);
    const isChange = method !== "GET" && !changesNothing;
    expect([id, lasting !== undefined]).toEqual([id, isChange]);
    if (changes !== undefined) expect(actions.map((one) => one.id)).toContain(changes);
    expect(Object.keys(input.shape)).toEqual(expect.arrayContaining([...pathFields({ path })]));
  }
  const groups = new Set(actions.map(({ id }) => id.split(".")[0]));
  expect(groups).toEqual(new Set(Object.keys(GROUPS)));
});

function routeOf({ method, path }: Pick<Action, "method" | "path">): string {
  return `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`;
}

test("each action needs its scope, or admin, from a token without limits", async () => {
  const tokenOf = new Map<string, string>();
  for (const scope of ADMINISTRATIVE_SCOPES) {
    tokenOf.set(scope, await host.makeToken({ name: scope, scopes: scope }));
  }
  const all = "read,stage,publish,write,delete";
  const others = {
    packages: await host.makeToken({ name: "packages", scopes: all }),
    names: await host.makeToken({ name: "names", scopes: "admin", patterns: "acme*" }),
    protocol: await host.makeToken({ name: "protocol", scopes: "admin", protocols: "npm" }),
  };
  // The body is read after the decision: this one is not JSON.
  const statusOf = async ({ method, path }: Action, authorization?: string) => {
    const init = {
      method,
      headers: { "content-type": "text/plain", ...(authorization && { authorization }) },
      ...(method !== "GET" && { body: "-" }),
    };
    const filled = path.replaceAll(/\{\w+\}/g, "none");
    return (await host.fetch(`${API}${filled}?dry-run=no`, init)).status;
  };
  for (const [at, action] of actions.entries()) {
    expect([action.id, await statusOf(action)]).toEqual([action.id, 401]);
    // A client that sends many wrong tokens is refused for their number.
    const wrong = at < 20 ? await statusOf(action, "Bearer wrong") : 401;
    expect([action.id, wrong]).toEqual([action.id, 401]);
    for (const [name, token] of Object.entries(others)) {
      const status = await statusOf(action, `Bearer ${token}`);
      expect([action.id, name, status]).toEqual([action.id, name, 403]);
    }
    for (const [scope, token] of tokenOf) {
      const expected = scope === action.scope ? 400 : 403;
      const status = await statusOf(action, `Bearer ${token}`);
      expect([action.id, scope, status]).toEqual([action.id, scope, expected]);
    }
  }
});

test("answers generated calls as the document describes, and never with 500", async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addSchema(description, "api");
  const known = new Set<string>();
  const counts = new Map<number, number>();
  for (const action of actions) {
    const operation = operationOf(action);
    const calls = callsOf(action, inputOf(operation), pathFields(action), () => [...known]);
    for (const call of sample(calls, { numRuns: CALLS, seed: 1 })) {
      const { status, type, body, asked, isOtherPath } = await send(action, call);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      if (isOtherPath) continue;
      expect(Object.keys(operation.responses), asked).toContain(String(status));
      expect(operation.responses[status]?.content ?? {}, asked).toHaveProperty([type]);
      const { path, method } = action;
      const place = ["paths", path, method.toLowerCase(), "responses", String(status)];
      const pointer = [...place, "content", type, "schema"].map(escaped).join("/");
      const isValid = ajv.validate({ $ref: `api#/${pointer}` }, body);
      expect(isValid, `${asked} ${ajv.errorsText()}`).toBe(true);
      collect(body, known);
    }
  }
  expect(host.output()).not.toContain('"level":50');
  expect(counts.get(200) ?? 0, JSON.stringify([...counts])).toBeGreaterThan(actions.length);
}, 600_000);

/** Sends a generated call, and returns its answer with a text for messages. */
async function send(action: Action, { path, input, isDryRun, hasKey }: GeneratedCall) {
  const { method } = action;
  const inQuery = method === "GET" || method === "DELETE";
  const filled = action.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => encodeURIComponent(textOf(path[name])) || "none",
  );
  const query = new URLSearchParams(inQuery ? textsOf(input) : []);
  if (isDryRun) query.set("dry-run", "true");
  const answer = await host.fetch(`${API}${filled}?${query.toString()}`, {
    method,
    headers: {
      authorization: `Bearer ${admin}`,
      "if-match": "*",
      ...(!inQuery && { "content-type": "application/json" }),
      ...(hasKey && { "idempotency-key": randomUUID() }),
    },
    ...(!inQuery && { body: JSON.stringify(input) }),
  });
  const text = await answer.text();
  const { status } = answer;
  return {
    status,
    type: answer.headers.get("content-type") ?? "",
    body: JSON.parse(text) as unknown,
    asked: `${action.id} ${filled} ${JSON.stringify(input)}: ${status} ${text}`,
    // A slash in a value may make another path of it.
    isOtherPath: status === 404 && filled.split("/").length !== action.path.split("/").length,
  };
}

/** The fields of the path, the query and the body as one schema. */
function inputOf({ parameters = [], requestBody }: Operation): Schema {
  const body = requestBody?.content["application/json"]?.schema ?? {};
  const named = parameters.filter((one) => one.in !== "header" && one.name !== "dry-run");
  return {
    properties: {
      ...Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
      ...body.properties,
    },
    required: body.required ?? [],
  };
}

function textsOf(fields: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.map((one): [string, string] => [name, textOf(one)]);
  });
}

/** A value in a path or a query, which have no lone surrogates. */
function textOf(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed();
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** Notes the ids and names of an answer. */
function collect(value: unknown, known: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, one] of Object.entries(value)) {
    if ((name === "id" || name === "name" || name === "handle") && typeof one === "string") {
      if (known.size < 200) known.add(one);
    } else collect(one, known);
  }
}
