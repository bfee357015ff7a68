import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { Attestation } from "./ports.ts";

/** Predicate types that clients accept as provenance. */
const PREDICATE_TYPE = /^https:\/\/slsa\.dev\/provenance\/v(?:0\.2|1)$/;
const MEDIA_TYPE =
  /^application\/vnd\.dev\.sigstore\.bundle(?:\+json;version=0\.[23]|\.v0\.3\+json)$/;
const PAYLOAD_TYPE = "application/vnd.in-toto+json";
const BUNDLE_BYTES_MAX = 1024 * 1024;

/** Whether a statement is npm provenance, and not another attestation. */
export function isProvenance({ predicateType }: Pick<Attestation, "predicateType">): boolean {
  return PREDICATE_TYPE.test(predicateType);
}

/**
 * Reads the bundle that npm attaches to a publish. It must be a statement about exactly this
 * version and these bytes, in a form that clients can verify later. Does not verify the signature.
 * `sha512` is lower-case hex.
 * @throws NpmError `provenance-refused`
 */
export function readProvenance(
  text: string,
  about: { readonly name: string; readonly version: string; readonly sha512: string },
): Attestation {
  if (Buffer.byteLength(text) > BUNDLE_BYTES_MAX) throw refused("is larger than 1 MiB");
  const bundle = parsed(text, "is not a JSON object");
  const { mediaType } = bundle;
  if (typeof mediaType !== "string" || !MEDIA_TYPE.test(mediaType)) {
    throw refused("is not a Sigstore bundle of version 0.2 or 0.3");
  }
  checkMaterial(bundle["verificationMaterial"]);
  const statement = statementOf(bundle["dsseEnvelope"]);
  checkSubject(statement["subject"], about);
  const { predicateType } = statement;
  if (typeof predicateType !== "string" || !isProvenance({ predicateType })) {
    throw refused(`has the predicate type ${shown(predicateType)}, which is not SLSA provenance`);
  }
  return { predicateType, bundle: text };
}

/**
 * A separate key would have to be in the registry's list: clients abort their whole audit at an
 * unknown key. So the bundle must contain the certificate.
 */
function checkMaterial(material: unknown): void {
  const { certificate, x509CertificateChain: chain, tlogEntries } = objectOf(material);
  const certificates = listOf(objectOf(chain)["certificates"]);
  if (!isObject(certificate) && certificates.length === 0) {
    throw refused("names no certificate that signed it");
  }
  if (listOf(tlogEntries).length === 0) throw refused("has no entry of a transparency log");
}

function statementOf(envelope: unknown): JsonObject {
  const { payload, payloadType, signatures } = objectOf(envelope);
  if (payloadType !== PAYLOAD_TYPE || typeof payload !== "string") {
    throw refused("does not hold an in-toto statement");
  }
  const [signature, ...more] = listOf(signatures);
  const { sig, keyid = "" } = objectOf(signature);
  if (typeof sig !== "string" || sig === "" || more.length > 0) {
    throw refused("must have exactly one signature");
  }
  if (keyid !== "") throw refused("is signed with a key instead of a certificate");
  const bytes = Buffer.from(payload, "base64");
  return parsed(bytes.toString("utf8"), "holds a statement that is not a JSON object");
}

function checkSubject(
  subjects: unknown,
  { name, version, sha512 }: { name: string; version: string; sha512: string },
): void {
  const [subject, ...more] = listOf(subjects);
  if (!isObject(subject) || more.length > 0) throw refused("must be about exactly one subject");
  const purl = purlOf(name, version);
  if (subject["name"] !== purl) {
    throw refused(`is about ${shown(subject["name"])}, not about ${purl}`);
  }
  if (objectOf(subject["digest"])["sha512"] !== sha512) {
    throw refused("is about a tarball with another sha512 than the one that arrived");
  }
}

/** As npm writes the name of a package for others: `pkg:npm/%40scope/name@1.0.0`. */
export function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

function parsed(text: string, problem: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refused(problem, cause);
  }
  if (!isObject(value)) throw refused(problem);
  return value;
}

/** For what the signature, certificate or log of a statement is refused as well. */
export function refused(problem: string, cause?: unknown): NpmError {
  return new NpmError("provenance-refused", `The provenance statement ${problem}.`, { cause });
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 200);
}
