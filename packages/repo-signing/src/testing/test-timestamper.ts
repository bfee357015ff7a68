import { signedAttributes } from "../cms/signed-attributes.ts";
import { writeSignedData, writeSignerInfo } from "../cms/write-signed-data.ts";
import { OID } from "../der/oid.ts";
import { readDer, sequenceOf } from "../der/reader.ts";
import { generalizedTime, integer, oid, printableString, sequence } from "../der/writer.ts";
import type { Signer } from "../ports.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { createTestSigner } from "./test-signer.ts";

export type StampMisbehaviour =
  | "refuses"
  | "garbage"
  | "http-error"
  | "silent"
  | "wrong-nonce"
  | "wrong-imprint"
  | "no-certificate"
  | "wrong-usage";

/**
 * A time-stamping authority in this process: a `fetch` that answers RFC 3161 requests with tokens
 * whose certificate comes from the test root. It can also misbehave.
 */
export async function createTestStampServer(
  options: { readonly now?: () => Date; readonly misbehaves?: StampMisbehaviour } = {},
): Promise<typeof fetch> {
  const { now = () => new Date(), misbehaves } = options;
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
          : sequence(sequence(integer(0)), await stamp(body, { signer, at: now(), misbehaves }));
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
  },
): Promise<Uint8Array> {
  const { signer, at, misbehaves } = how;
  const [, imprint, nonce] = sequenceOf(readDer(request), "request").map((one) => one.raw);
  if (!imprint || !nonce) throw new RangeError("The test expects an imprint and a nonce.");
  const content = sequence(
    integer(1),
    oid("1.3.6.1.4.1.99999.1"),
    misbehaves === "wrong-imprint" ? changedAtEnd(imprint) : imprint,
    integer(at.getTime()),
    generalizedTime(at),
    sequence(integer(1)),
    misbehaves === "wrong-nonce" ? changedAtEnd(nonce) : nonce,
  );
  const [der = new Uint8Array()] = signer.chain;
  const certificate = parseCertificate(der);
  const { hash, chain } = signer;
  const attributes = signedAttributes({
    content,
    certificate,
    hash,
    signedAt: at,
    contentType: OID.tstInfo,
    commitment: undefined,
    serviceIndexUrl: undefined,
    packageOwners: [],
  });
  const signerInfo = writeSignerInfo({
    certificate,
    hash,
    scheme: "pkcs1",
    namedBy: "issuer",
    signedAttributes: attributes,
    signature: await signer.sign(attributes),
    timestampToken: undefined,
  });
  const certificates = misbehaves === "no-certificate" ? [] : chain;
  return writeSignedData({ contentType: OID.tstInfo, content, hash, certificates, signerInfo });
}

function changedAtEnd(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  return changed;
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}
