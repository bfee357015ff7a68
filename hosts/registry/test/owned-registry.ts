import { randomBytes, randomUUID } from "node:crypto";
import { openDatabase } from "@sealhouse/database";
import type { Database, DatabaseConfig } from "@sealhouse/database";
import { openTestOwners } from "@sealhouse/database/testing";
import { createToken } from "@sealhouse/identity";
import type { Owner, TokenRecord } from "@sealhouse/identity";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import type { Protocol } from "@sealhouse/request-types";
import { databaseSettings } from "../src/testing/database-settings.ts";
import { ociArtifact } from "./artifacts.ts";
import type { Served } from "./artifacts.ts";

export const PEPPER = "3f9c1d7be25a48069ec4d2a17b60f5839c1d7be25a48069e";

/** Settings of a host that accepts the tokens of `openOwnedRegistry`. */
export function ownedSettings(config: DatabaseConfig): Readonly<Record<string, string>> {
  return { ...databaseSettings(config), Host__TokenHashPepper: PEPPER };
}

/** Users, a team and their tokens in the database of a host. */
export type OwnedRegistry = AsyncDisposable & {
  readonly database: Database;
  readonly alice: Owner;
  readonly bob: Owner;
  readonly builders: Owner;
  /** Makes a token; of the operators without an owner. */
  tokenOf(
    name: string,
    owner?: Pick<TokenRecord, "userId" | "serviceAccountId" | "owner">,
  ): Promise<string>;
  /** Id of a service account of the team. */
  readonly account: string;
};

export async function openOwnedRegistry(config: DatabaseConfig): Promise<OwnedRegistry> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openDatabase(config));
  const rows = opened.use(await openTestOwners(config));
  const add = async (kind: Owner["kind"], handle: string): Promise<Owner> => {
    const owner = { id: randomUUID(), kind, handle };
    await rows.addOwner(owner);
    return owner;
  };
  const [alice, bob] = [await add("user", "alice"), await add("user", "bob")];
  const builders = await add("team", "builders");
  const account = randomUUID();
  await rows.addAccount(account, builders.id);
  await rows.addMember(builders.id, alice.id, "member");
  const owned = opened.move();
  return {
    database,
    alice,
    bob,
    builders,
    account,
    async tokenOf(name, owner = {}) {
      const making = { pepper: PEPPER, now: new Date(), random: randomBytes };
      const { token, record } = createToken({ name, scopes: ["read", "write", "delete"] }, making);
      await database.tokens.insert({ ...record, ...owner }, { actor: "test" });
      return token;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Names of each protocol that these publishes use. */
export const OWNED_NAMES = {
  nuget: "acme.widgets",
  npm: "@acme/widgets",
  oci: "acme/widgets",
} as const satisfies Readonly<Record<Protocol, string>>;

/** Publishes a version of a name with a token; resolves to the status and the text. */
export async function publishTo(
  host: Served,
  protocol: Protocol,
  {
    token,
    version,
    name = OWNED_NAMES[protocol],
  }: { readonly token: string; readonly version: string; readonly name?: string },
): Promise<{ readonly status: number; readonly text: string }> {
  if (protocol === "oci") return pushImage(host, { token, version, name });
  const answer =
    protocol === "nuget"
      ? await host.fetch("/api/v2/package/", {
          method: "PUT",
          headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
          body: buildNupkg({ id: name, version }),
        })
      : await host.fetch(`/npm/${name.replace("/", "%2f")}`, {
          method: "PUT",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: publishBody({ name, version }),
        });
  return { status: answer.status, text: await answer.text() };
}

/** Stops at the first request that is refused. */
async function pushImage(
  host: Served,
  {
    token,
    version,
    name,
  }: { readonly token: string; readonly version: string; readonly name: string },
) {
  let refused: { readonly status: number; readonly text: string } | undefined;
  const watching: Served = {
    url: host.url,
    async fetch(path, init) {
      const answer = await host.fetch(path, init);
      if (answer.status >= 400 && !refused)
        refused = { status: answer.status, text: await answer.clone().text() };
      return answer;
    },
  };
  const isPushed = await ociArtifact(name, Buffer.from(version))
    .push(watching, token)
    .catch(() => false);
  return isPushed ? { status: 201, text: "" } : (refused ?? { status: 0, text: "" });
}
