import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { createToken } from "@sealhouse/identity";
import type { Scope } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import type { TestHost } from "../src/testing/index.ts";
import { startHost } from "../src/testing/index.ts";
import { PEPPER, openOwnedRegistry, publishTo } from "./owned-registry.ts";

/** A name that is hidden from some callers, and an unknown one of the same length. */
export type Twins = readonly [hidden: string, absent: string];

/** Twins that are asked for while the source of all names answers, and while it fails. */
export type AskedTwins = { readonly healthy: Twins; readonly failing: Twins };

/** A host with hidden names, a source, and a token for each kind of caller. */
export type TwinHost = AsyncDisposable & {
  readonly host: TestHost;
  /** The token of the operators; sees all names. */
  readonly operator: string;
  /** The token of a user without a package. */
  readonly stranger: string;
  /** The token of the owner of the hidden names. */
  readonly owner: string;
  /** A token of the operators that covers other names only. */
  narrow(scopes: readonly Scope[], patterns: readonly string[]): Promise<string>;
  /** Makes the source answer each request with a pause of five minutes. */
  failSource(): Promise<void>;
  /** Makes the hidden names private. */
  hide(): Promise<void>;
  /** Reserves all names below `prefix` for a team that the stranger is not in. */
  reserve(prefix: string): Promise<void>;
};

export type TwinOptions = {
  readonly anonymousReading: boolean;
  /** Publishes version 1.0.0 of a name. Default: without any metadata. */
  readonly publish?: (host: TestHost, token: string, name: string) => Promise<void>;
};

/**
 * Starts a host with one version of each hidden name. Its source has no package at all, and fails
 * after `failSource`.
 */
export async function openTwinHost(
  protocol: Protocol,
  twins: AskedTwins,
  { anonymousReading, publish = publishPlain(protocol) }: TwinOptions,
): Promise<TwinHost> {
  await using opened = new AsyncDisposableStack();
  const source = opened.use(await openEmptySource());
  const host = opened.use(
    await startHost({
      env: {
        Host__TokenHashPepper: PEPPER,
        Feed__Authentication__AllowAnonymousPull: String(anonymousReading),
        Feed__PublicBaseUrl: "http://127.0.0.1",
        PackageSources__0__Name: "elsewhere",
        PackageSources__0__Protocol: { nuget: "NuGet", npm: "Npm", oci: "Oci" }[protocol],
        PackageSources__0__FeedUrl: source.url + (protocol === "nuget" ? "/v3/index.json" : ""),
        PackageSources__0__AllowPrivateNetwork: "true",
      },
    }),
  );
  const path = join(host.folder, "sealhouse.db");
  const registry = opened.use(await openOwnedRegistry({ type: "Sqlite", path }));
  const { database, alice, bob } = registry;
  const [operator, owner, stranger] = [
    await registry.tokenOf("operator"),
    await registry.tokenOf("alice", { userId: alice.id }),
    await registry.tokenOf("bob", { userId: bob.id }),
  ];
  const hidden = [twins.healthy[0], twins.failing[0]];
  for (const name of hidden) await publish(host, owner, name);
  const owned = opened.move();
  return {
    host,
    operator,
    owner,
    stranger,
    async narrow(scopes, patterns) {
      const making = { pepper: PEPPER, now: new Date(), random: randomBytes };
      const made = createToken({ name: `narrow ${scopes.join()}`, scopes, patterns }, making);
      await database.tokens.insert(made.record, { actor: "test" });
      return made.token;
    },
    async failSource() {
      source.fail();
      // The first failure has another text than those after it.
      await asUnknown(host, protocol);
    },
    async hide() {
      const change = { visibility: "private", by: { actor: "test" } } as const;
      for (const name of hidden) await database.visibilities.set(protocol, name, change);
    },
    async reserve(prefix) {
      const reserved = { protocol, pattern: prefix, isPrefix: true, isShared: false } as const;
      const reservation = { ...reserved, owner: registry.builders };
      await database.ownership.reservations.add(reservation, { actor: "test" });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function publishPlain(protocol: Protocol): NonNullable<TwinOptions["publish"]> {
  return async (host, token, name) => {
    const { status, text } = await publishTo(host, protocol, { token, version: "1.0.0", name });
    if (status > 299) throw new Error(`${name} is not published: ${text}`);
  };
}

/** A request whose answers can be compared: lengths of compressed pages depend on their names. */
export const COMPARABLE = { "accept-encoding": "identity" } as const;

/** Asks for a name that no package has. */
async function asUnknown(host: TestHost, protocol: Protocol): Promise<void> {
  const path = {
    nuget: "/v3/package/un.known/index.json",
    npm: "/npm/@un%2fknown",
    oci: "/v2/un/known/manifests/1",
  }[protocol];
  await (await host.fetch(path)).arrayBuffer();
}

/** A registry of any protocol without a package. */
async function openEmptySource() {
  let isFailing = false;
  const server = createServer((request, response) => {
    if (isFailing) return void response.writeHead(429, { "retry-after": "300" }).end("{}");
    const isIndex = request.url === "/v3/index.json";
    if (!isIndex) return void response.writeHead(404).end("{}");
    const resources = [
      { "@id": `${url}/flat/`, "@type": "PackageBaseAddress/3.0.0" },
      { "@id": `${url}/registration/`, "@type": "RegistrationsBaseUrl/3.6.0" },
    ];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ version: "3.0.0", resources }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return {
    url,
    fail: () => void (isFailing = true),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const CHANGING: ReadonlySet<string> = new Set(["date", "x-request-id", "last-modified"]);

/**
 * Returns an answer as text: status, headers and body. Names, times and what is random are
 * replaced.
 */
export async function shownAnswer(answer: Response, name: string): Promise<string> {
  const headers = [...answer.headers].map(([header, value]) => [
    header,
    CHANGING.has(header) ? "" : value,
  ]);
  const parts = name.split(/[/.]/).flatMap((part) => [part, part.replace("@", "")]);
  const shown = [name, encodeURIComponent(name), ...parts.toSorted((a, b) => b.length - a.length)];
  let text = JSON.stringify([answer.status, headers, await answer.text()]);
  for (const part of shown) text = text.replaceAll(part, "NAME");
  // Whether a source is asked again depends on the requests before this one.
  const isUnavailable = answer.status === 503;
  const shown503 = isUnavailable
    ? text
        .replaceAll(
          /(?:answered with status \d+|is not asked for \d+ s, because it keeps failing)/g,
          "FAILS",
        )
        .replaceAll(/"(?:retry-after|content-length)","\d+"/g, "NUMBER")
    : text;
  return shown503.replaceAll(/[A-Z]{4}-\d{4}|[0-9a-f]{8}-[0-9a-f-]{27}|[\w-]{30,}/g, "RANDOM");
}

/** A time after the hidden names were published, in the form of views. */
export function viewTime(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}
