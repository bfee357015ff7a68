import type { Cvss } from "@sealhouse/advisories";
import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import { isObject, stringListOf } from "../json.ts";
import type { JsonObject } from "../json.ts";
import type { Attestation } from "../provenance/ports.ts";
import type { Addresses } from "./addresses.ts";
import { escaped } from "./addresses.ts";
import { listOf } from "./packument-document.ts";
import type { Reader } from "./reader.ts";

type Parts = { readonly reader: Reader; readonly addresses: Addresses };

/** A vulnerability in the form of registries. */
export type RemoteAdvisory = {
  readonly id: number | string | undefined;
  readonly title: string;
  readonly url: string;
  readonly severity: string;
  /** A range of versions. */
  readonly versions: string;
  readonly cwe: readonly string[];
  readonly cvss?: Cvss;
};

const STATEMENTS_MAX = 100;
const ADVISORIES_MAX = 10_000;

/** The statements about a version, none of them checked. */
export async function readAttestations(
  { reader, addresses }: Parts,
  { name, version }: { readonly name: string; readonly version: string },
  read: CallOptions,
): Promise<readonly Attestation[]> {
  const which = `${escaped(name)}@${encodeURIComponent(version)}`;
  const document = await reader.object(addresses.endpoint(`npm/v1/attestations/${which}`), read);
  const statements = listOf(document?.["attestations"]).slice(0, STATEMENTS_MAX);
  return statements.flatMap((statement) => {
    const { predicateType, bundle } = isObject(statement) ? statement : {};
    if (typeof predicateType !== "string" || !isObject(bundle)) return [];
    return [{ predicateType, bundle: JSON.stringify(bundle) }];
  });
}

/**
 * Known advisories on the given versions, by package. The request sends their names to the
 * registry.
 */
export async function readAdvisories(
  { reader, addresses }: Parts,
  inventory: ReadonlyMap<string, readonly string[]>,
  read: CallOptions,
): Promise<ReadonlyMap<string, readonly RemoteAdvisory[]>> {
  const url = addresses.endpoint("npm/v1/security/advisories/bulk");
  const document = await reader.object(url, { ...read, ask: Object.fromEntries(inventory) });
  const about = Object.entries(document ?? {}).filter(([name]) => inventory.has(name));
  return new Map(
    about.map(([name, list]) => {
      const objects = listOf(list).slice(0, ADVISORIES_MAX).filter(isObject);
      return [name, objects.map(remoteAdvisory)];
    }),
  );
}

function remoteAdvisory({ id, cwe, cvss, ...fields }: JsonObject): RemoteAdvisory {
  const score = cvssIn(cvss);
  const text = (key: string) => (typeof fields[key] === "string" ? fields[key] : "");
  return {
    id: typeof id === "number" || typeof id === "string" ? id : undefined,
    title: text("title"),
    url: text("url"),
    severity: text("severity"),
    versions: text("vulnerable_versions"),
    cwe: stringListOf(cwe),
    ...(score && { cvss: score }),
  };
}

function cvssIn(value: unknown): Cvss | undefined {
  const { score, vectorString } = isObject(value) ? value : {};
  if (typeof score !== "number" || typeof vectorString !== "string") return undefined;
  return { score, vectorString };
}
