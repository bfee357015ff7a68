import type { KeyRing } from "@sealhouse/identity";
import type { Caller, Protocol } from "@sealhouse/request-types";
import { SOURCE_DEFAULTS } from "./package-source.ts";
import type { PackageSource, SourceCredentials, SourceSettings } from "./package-source.ts";
import type { SourceRow, SourceRows } from "./source-rows.ts";

/** Sources in the database, with readable credentials. */
export type StoredSources = {
  list(): Promise<readonly PackageSource[]>;
  /** Adds the source, or replaces the one with its name. */
  put(source: PackageSource, caller: Caller): Promise<void>;
  remove(name: string, caller: Caller): Promise<"removed" | "absent">;
};

const PURPOSE = "package-source-credentials";

type OnUnreadable = (source: string, error: unknown) => void;

/**
 * Opens the sources of a database. The key ring encrypts their credentials. A source whose
 * credentials cannot be decrypted is listed without them, after a call of `onUnreadable`. A lost
 * key affects no other packages, and the names of this source do not move to other sources.
 */
export function openStoredSources(
  rows: SourceRows,
  keyRing: Pick<KeyRing, "protect" | "unprotect">,
  onUnreadable: OnUnreadable = () => undefined,
): StoredSources {
  return {
    list: async () =>
      Promise.all((await rows.list()).map((row) => sourceOf(row, keyRing, onUnreadable))),
    put: (source, caller) => rows.put(rowOf(source, keyRing), caller),
    remove: (name, caller) => rows.remove(name, caller),
  };
}

function rowOf(source: PackageSource, keyRing: Pick<KeyRing, "protect">): SourceRow {
  const { credentials, settings, url, from: _, ...rest } = source;
  const changed = Object.entries(settings).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(SOURCE_DEFAULTS[name as keyof SourceSettings]),
  );
  return {
    ...rest,
    url: url.href,
    settings: JSON.stringify(Object.fromEntries(changed)),
    ...(credentials && {
      credentials: keyRing.protect(PURPOSE, Buffer.from(JSON.stringify(credentials))),
    }),
  };
}

/** The database holds what `rowOf` made. */
async function sourceOf(
  row: SourceRow,
  keyRing: Pick<KeyRing, "unprotect">,
  onUnreadable: OnUnreadable,
): Promise<PackageSource> {
  const { credentials, settings, url, ...rest } = row;
  const plain =
    credentials &&
    (await keyRing.unprotect(PURPOSE, credentials).catch((error: unknown) => {
      onUnreadable(row.name, error);
      return undefined;
    }));
  return {
    ...rest,
    protocol: row.protocol as Protocol,
    type: row.type as PackageSource["type"],
    strategy: row.strategy as PackageSource["strategy"],
    signaturePolicy: row.signaturePolicy as PackageSource["signaturePolicy"],
    url: new URL(url),
    settings: { ...SOURCE_DEFAULTS, ...(JSON.parse(settings) as Partial<SourceSettings>) },
    ...(plain && {
      credentials: JSON.parse(Buffer.from(plain).toString()) as SourceCredentials,
    }),
    from: "database",
  };
}
