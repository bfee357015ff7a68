import { signedAttributes } from "../cms/signed-attributes.ts";
import { writeSignedData, writeSignerInfo } from "../cms/write-signed-data.ts";
import { OID } from "../der/oid.ts";
import { childrenOf, readDer, sequenceOf, TAG } from "../der/reader.ts";
import {
  algorithm,
  generalizedTime,
  integer,
  octetString,
  oid,
  printableString,
  sequence,
  sortedSet,
} from "../der/writer.ts";
import { sameBytes } from "../hash.ts";
import type { Signer } from "../ports.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { createTestSigner } from "./test-signer.ts";

export type StampMisbehaviour =
  | "refuses"
  | "garbage"
  | "http-error"
  | "silent"
  | "wrong-nonce"
  | "no-nonce"
  | "wrong-imprint"
  | "sha1-imprint"
  | "no-certificate"
  | "wrong-usage"
  | "no-binding"
  | "other-binding"
  | "wrong-signature"
  | "two-signers"
  | "other-content"
  /** Its clock is an hour ahead. */
  | "far-clock"
  /** It knows the time to ten years. */
  | "vague";

const SHA1_BYTES = 20;
const TEN_YEARS_SECONDS = 10 * 365 * 24 * 60 * 60;

/**
 * A timestamping authority in this process: a `fetch` that answers RFC 3161 requests with tokens
 * whose certificate the test root has issued. It can also misbehave.
 */
export async function createTestStampServer(
  options: {
    readonly now?: () => Date;
    readonly misbehaves?: StampMisbehaviour;
    /** Whether the root comes along in tokens; default true. Most authorities leave it out. */
    readonly withRoot?: boolean;
  } = {},
): Promise<typeof fetch> {
  const { now = () => new Date(), misbehaves, withRoot = true } = options;
  const as = misbehaves === "wrong-usage" ? "author" : "timestamping";
  const signer = await createTestSigner({ as, now: now() });
  return async (_input, init) => {
    if (misbehaves === "http-error") return new Response("out of order", { status: 500 });
    if (misbehaves === "silent") return untilAborted(init?.signal ?? undefined);
    const body = new Uint8Array(await new Response(init?.body).arrayBuffer());
    const reply =
      misbehaves === "garbage"
        ? Buffer.from("nope")
        : misbehaves === "refuses"
          ? sequence(sequence(integer(2), sequence(printableString("not today"))))
          : sequence(
              sequence(integer(0)),
              await stamp(body, { signer, at: now(), misbehaves, withRoot }),
            );
    const headers = { "content-type": "application/timestamp-reply" };
    return new Response(Uint8Array.from(reply), { headers });
  };
}

async function stamp(
  request: Uint8Array,
  how: {
    readonly signer: Signer;
    readonly at: Date;
    readonly misbehaves: StampMisbehaviour | undefined;
    readonly withRoot: boolean;
  },
): Promise<Uint8Array> {
  const { signer, misbehaves, withRoot } = how;
  const certificates = withRoot ? signer.chain : signer.chain.slice(0, 1);
  const time = new Date(how.at.getTime() + (misbehaves === "far-clock" ? 60 * 60 * 1000 : 0));
  const [, imprint, nonce] = sequenceOf(readDer(request), "request").map((der) => der.raw);
  if (!imprint || !nonce) throw new RangeError("The test expects an imprint and a nonce.");
  const content = sequence(
    integer(1),
    oid("1.3.6.1.4.1.99999.1"),
    imprintFor(imprint, misbehaves),
    integer(time.getTime()),
    generalizedTime(time),
    sequence(integer(misbehaves === "vague" ? TEN_YEARS_SECONDS : 1)),
    ...(misbehaves === "no-nonce" ? [] : [nonceFor(nonce, misbehaves)]),
  );
  const contentType = misbehaves === "other-content" ? OID.data : OID.tstInfo;
  const signerInfo = await signContent({ ...how, at: time }, content, contentType);
  return writeSignedData({
    contentType,
    content,
    hash: signer.hash,
    certificates: misbehaves === "no-certificate" ? [] : certificates,
    signerInfo: misbehaves === "two-signers" ? Buffer.concat([signerInfo, signerInfo]) : signerInfo,
  });
}

async function signContent(
  how: {
    readonly signer: Signer;
    readonly at: Date;
    readonly misbehaves: StampMisbehaviour | undefined;
  },
  content: Uint8Array,
  contentType: string,
): Promise<Uint8Array> {
  const { hash, chain } = how.signer;
  const [certificate, root] = chain.map(parseCertificate);
  if (!certificate || !root) throw new RangeError("The test expects a chain of two.");
  const all = signedAttributes({
    content,
    certificate: how.misbehaves === "other-binding" ? root : certificate,
    hash,
    signedAt: how.at,
    contentType,
    commitment: undefined,
    serviceIndexUrl: undefined,
    packageOwners: [],
  });
  const attributes = how.misbehaves === "no-binding" ? withoutBinding(all) : all;
  const signature = await how.signer.sign(attributes);
  return writeSignerInfo({
    certificate,
    hash,
    scheme: "pkcs1",
    namedBy: "issuer",
    signedAttributes: attributes,
    signature: how.misbehaves === "wrong-signature" ? changedAtEnd(signature) : signature,
    timestampToken: undefined,
  });
}

function imprintFor(imprint: Uint8Array, misbehaves: StampMisbehaviour | undefined): Uint8Array {
  if (misbehaves === "wrong-imprint") return changedAtEnd(imprint);
  if (misbehaves !== "sha1-imprint") return imprint;
  return sequence(algorithm(OID.sha1), octetString(new Uint8Array(SHA1_BYTES)));
}

function nonceFor(nonce: Uint8Array, misbehaves: StampMisbehaviour | undefined): Uint8Array {
  return misbehaves === "wrong-nonce" ? changedAtEnd(nonce) : nonce;
}

function withoutBinding(attributes: Uint8Array): Uint8Array {
  const binding = oid(OID.signingCertificateV2);
  const keptAttributes = childrenOf(readDer(attributes)).filter(
    (der) => !sameBytes(childrenOf(der)[0]?.raw ?? new Uint8Array(), binding),
  );
  return sortedSet(
    TAG.set,
    keptAttributes.map((der) => der.raw),
  );
}

function changedAtEnd(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  return changed;
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted === true) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}
