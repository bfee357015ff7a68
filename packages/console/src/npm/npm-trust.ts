import type { NpmLookups } from "./npm-lookups.ts";
import type { NpmProvenance, NpmSignature } from "./model.ts";
import { isProvenance, isSignedBy } from "@sealhouse/npm-protocol";
import type { Attestation, JsonObject, NpmVersionDetails } from "@sealhouse/npm-protocol";
import { objectOf } from "./described-manifest.ts";

/** The result that `npm audit signatures` would have for the version now. */
export async function signatureState(
  { npm }: Pick<NpmLookups, "npm">,
  name: string,
  { version, integrity, signatures = [], publishedAt }: NpmVersionDetails,
): Promise<NpmSignature> {
  const keys = await npm.signingKeys.announced();
  if (keys.length === 0) return { status: "off" };
  if (signatures.length === 0) return { status: "unsigned" };
  const good = signatures.find(({ keyid, sig }) => {
    const key = keys.find(({ keyId }) => keyId === keyid);
    if (!key || (key.expiresAt && key.expiresAt <= publishedAt)) return false;
    return fits(() => isSignedBy({ name, version, integrity }, sig, key.publicKey));
  });
  return good ? { status: "signed", keyId: good.keyid } : { status: "wrong" };
}

/** Verifies and describes the provenance attestations of a version. */
export async function provenanceState(
  { npm, verifyBundle }: Pick<NpmLookups, "npm" | "verifyBundle">,
  name: string,
  version: string,
): Promise<readonly NpmProvenance[]> {
  const attestations = await npm.attestations.of(name, version);
  return Promise.all(
    attestations.filter(isProvenance).map(async (attestation) => ({
      ...saidBy(attestation),
      verdict: await verifyBundle(attestation.bundle),
    })),
  );
}

function saidBy({ predicateType, bundle }: Attestation): Omit<NpmProvenance, "verdict"> {
  const { payload } = objectAt(parsed(bundle), "dsseEnvelope");
  const statement = parsed(Buffer.from(textOf(payload) ?? "", "base64").toString("utf8"));
  const predicate = objectAt(statement, "predicate");
  const details = predicateType.endsWith("/v1") ? firstVersion(predicate) : earlyVersion(predicate);
  return { predicateType, ...details };
}

/** Reads a predicate of SLSA provenance 1.0. */
function firstVersion(predicate: JsonObject) {
  const definition = objectAt(predicate, "buildDefinition");
  const workflow = objectAt(objectAt(definition, "externalParameters"), "workflow");
  const resolved: unknown = definition["resolvedDependencies"];
  const source = objectOf(Array.isArray(resolved) ? resolved[0] : undefined);
  return {
    builder: textOf(objectAt(objectAt(predicate, "runDetails"), "builder")["id"]),
    source: textOf(workflow["repository"]) ?? textOf(source["uri"]),
    commit: textOf(objectAt(source, "digest")["gitCommit"]),
    workflow: textOf(workflow["path"]),
  };
}

/** Reads a predicate of SLSA provenance 0.2. */
function earlyVersion(predicate: JsonObject) {
  const source = objectAt(objectAt(predicate, "invocation"), "configSource");
  return {
    builder: textOf(objectAt(predicate, "builder")["id"]),
    source: textOf(source["uri"]),
    commit: textOf(objectAt(source, "digest")["sha1"]),
    workflow: textOf(source["entryPoint"]),
  };
}

function fits(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false; // no key, or no signature
  }
}

function parsed(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function objectAt(object: JsonObject, key: string): JsonObject {
  return objectOf(object[key]);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
