import type { AdministrationAuthorize } from "@sealhouse/identity";
import {
  createMemoryPasskeys,
  createMemoryPeople,
  createMemoryTokenStore,
  newPerson,
  TEST_PEPPER,
} from "@sealhouse/identity/testing";
import { createMemoryLeases } from "@sealhouse/jobs/testing";
import { createAdministrationApi } from "../api/api-app.ts";
import type { AdministrationApiOptions } from "../api/api-app.ts";
import { loadActions } from "../groups.ts";
import type { AdministrationParts, AdministrationRows } from "../parts.ts";

const by = { actor: "test" };

/** An answer of the API. */
export type Answered = {
  readonly status: number;
  readonly etag: string | null;
  readonly body: Readonly<Record<string, unknown>>;
};

/**
 * Opens the API over people and tokens in memory: the administrators root and ada, and the
 * publisher bob. `call` has a token with one scope.
 */
export async function openPeopleApi() {
  let time = Date.parse("2026-03-01T00:00:00Z");
  const now = () => new Date(time);
  const people = createMemoryPeople();
  const tokens = createMemoryTokenStore();
  for (const [handle, role] of [
    ["root", "administrator"],
    ["ada", "administrator"],
    ["bob", "publisher"],
  ] as const) {
    await people.people.add(newPerson(handle, role), now(), by);
  }
  const leases = createMemoryLeases(() => time);
  const rows = { ...people, tokens, passkeys: createMemoryPasskeys(), leases };
  const parts = {
    rows: async () => rows as unknown as AdministrationRows,
    pepper: async () => TEST_PEPPER,
    groupProblem: (text: string) => (text.includes(" ") ? "is not a group" : undefined),
  } as unknown as AdministrationParts;
  const authorize: AdministrationAuthorize = async (request, _env, { scope }) => {
    const held = request.headers.get("authorization");
    return held === scope || held === "admin"
      ? { status: "granted", caller: by }
      : { status: "denied", reason: `The token lacks the scope ${scope}.` };
  };
  const options = { parts, authorize, now, version: "0.0.0", baseOf: () => "" };
  const actions = await loadActions();
  // Nothing here has an idempotency key or lasts long.
  const unused = { unavailable: () => undefined } as unknown as AdministrationApiOptions;
  const app = createAdministrationApi({ ...unused, ...options, actions });
  const call = async (
    scope: string,
    line: string,
    body?: object,
    etag = "*",
  ): Promise<Answered> => {
    const [method = "", path = ""] = line.split(" ");
    const type = { "content-type": "application/json" };
    const response = await app.request(`/api/admin/v1${path}`, {
      method,
      headers: { authorization: scope, "if-match": etag, ...(body && type) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      etag: response.headers.get("etag"),
      body: (await response.json()) as Record<string, unknown>,
    };
  };
  const wait = (days: number) => void (time += days * 24 * 60 * 60 * 1_000);
  return { call, tokens, now, wait };
}
