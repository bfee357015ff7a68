import { createHash, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import {
  fulcioHandler,
  initializeCA,
  initializeCTLog,
  initializeTLog,
  rekorHandler,
} from "@sigstore/mock";
import { bundleToJSON } from "@sigstore/bundle";
import { DSSEBundleBuilder, FulcioSigner, RekorWitness } from "@sigstore/sign";

/** Who signs in CI, by the certificate. */
export const WORKFLOW = "https://ci.example/acme/widgets/.github/workflows/release.yml@main";

/**
 * A stand-in for Sigstore's authority and transparency log, on its own port: it signs statements
 * like a CI run, with Sigstore's library, and all checks of clients pass with its root of trust.
 */
export type SigstoreSigner = AsyncDisposable & {
  /** The text of its `trusted_root.json`. */
  readonly trustedRoot: string;
  /** Gives the bundle, JSON text. */
  sign(statement: object): Promise<string>;
};

const REKOR = "https://rekor.sigstore.dev";

export async function openSigstoreSigner(): Promise<SigstoreSigner> {
  const pair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ctLog = await initializeCTLog(pair());
  const authority = await initializeCA(pair(), ctLog);
  const log = await initializeTLog(REKOR, pair());
  const handlers = [fulcioHandler(authority), rekorHandler(log)];
  const server = createServer((request, response) => {
    const handler = handlers.find(({ path }) => path === request.url);
    void textOf(request)
      .then((body) => handler?.fn(body))
      .then((made) => response.writeHead(made?.statusCode ?? 404).end(made?.response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the stand-in has no port");
  const base = `http://127.0.0.1:${address.port}`;
  const identityProvider = { getToken: async () => unsignedToken() };
  const builder = new DSSEBundleBuilder({
    signer: new FulcioSigner({ fulcioBaseURL: base, identityProvider }),
    // Of the kinds of entries it is the one that the stand-in keeps as a log does.
    witnesses: [new RekorWitness({ rekorBaseURL: base, entryType: "intoto" })],
  });
  const logId = createHash("sha256").update(log.publicKey).digest();
  return {
    trustedRoot: JSON.stringify({
      mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
      tlogs: [trustedLog(REKOR, { key: log.publicKey, id: logId })],
      certificateAuthorities: [trustedAuthority(bytesOf(authority.rootCertificate))],
      ctlogs: [trustedLog(base, { key: ctLog.publicKey, id: bytesOf(ctLog.logID) })],
      timestampAuthorities: [],
    }),
    async sign(statement) {
      const data = Buffer.from(JSON.stringify(statement));
      const bundle = await builder.create({ type: "application/vnd.in-toto+json", data });
      return JSON.stringify(bundleToJSON(bundle));
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const validFor = { start: "2020-01-01T00:00:00Z" };

function trustedLog(baseUrl: string, { key, id }: { key: Buffer; id: Buffer }) {
  const keyDetails = "PKIX_ECDSA_P256_SHA_256";
  return {
    baseUrl,
    hashAlgorithm: "SHA2_256",
    publicKey: { rawBytes: key.toString("base64"), keyDetails, validFor },
    logId: { keyId: id.toString("base64") },
  };
}

function trustedAuthority(certificate: Buffer) {
  return {
    subject: { organization: "sigstore.mock", commonName: "sigstore" },
    uri: "https://fulcio.sigstore.dev",
    certChain: { certificates: [{ rawBytes: certificate.toString("base64") }] },
    validFor,
  };
}

function unsignedToken(): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64url");
  const claims = { sub: WORKFLOW, iss: "https://ci.example", aud: "sigstore" };
  return `${part({ alg: "RS256" })}.${part(claims)}.AA`;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
