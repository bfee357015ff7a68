import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** Changes of an answer, for attacks. */
export type AnswerChange = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly counter?: number;
  readonly type?: string;
  readonly isUserVerified?: boolean;
};

/** An authenticator in software, with one passkey (ES256). */
export type SoftwarePasskey = {
  readonly id: string;
  /** Answers the options of a registration, as `credential.toJSON()` does. */
  create(options: object, change?: AnswerChange): Record<string, unknown>;
  /** Answers the options of a confirmation. */
  confirm(options: object, change?: AnswerChange): Record<string, unknown>;
};

const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 };

/** Creates an authenticator for a site. */
export function createSoftwarePasskey(site: {
  readonly origin: string;
  readonly rpId: string;
  /** Whether the passkey counts its uses; default true. */
  readonly counts?: boolean;
}): SoftwarePasskey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  let counter = 0;
  const clientData = (type: string, options: object, change: AnswerChange) =>
    Buffer.from(
      JSON.stringify({
        type: change.type ?? type,
        challenge: change.challenge ?? ("challenge" in options ? options.challenge : ""),
        origin: change.origin ?? site.origin,
        crossOrigin: false,
      }),
    );
  const dataOf = (change: AnswerChange, attested?: Buffer) => {
    if (site.counts !== false) counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(change.counter ?? counter);
    const verified = change.isUserVerified === false ? 0 : FLAGS.verified;
    const flags = FLAGS.present | verified | (attested ? FLAGS.attested : 0);
    const rpHash = createHash("sha256")
      .update(change.rpId ?? site.rpId)
      .digest();
    return Buffer.concat([rpHash, Buffer.from([flags]), count, attested ?? Buffer.alloc(0)]);
  };
  const answer = (response: Record<string, Buffer>) => ({
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    clientExtensionResults: {},
    response: Object.fromEntries(
      Object.entries(response).map(([name, bytes]) => [name, bytes.toString("base64url")]),
    ),
  });
  return {
    id: id.toString("base64url"),
    create(options, change = {}) {
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      const key = coseKey(Buffer.from(x, "base64url"), Buffer.from(y, "base64url"));
      const length = Buffer.from([0, id.length]);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, key]);
      const clientDataJSON = clientData("webauthn.create", options, change);
      const attestationObject = attestationOf(dataOf(change, attested));
      return answer({ clientDataJSON, attestationObject });
    },
    confirm(options, change = {}) {
      const clientDataJSON = clientData("webauthn.get", options, change);
      const authenticatorData = dataOf(change);
      const hash = createHash("sha256").update(clientDataJSON).digest();
      const signature = sign("sha256", Buffer.concat([authenticatorData, hash]), privateKey);
      return answer({ clientDataJSON, authenticatorData, signature });
    },
  };
}

/** RFC 9053: key type 2 (EC2), algorithm -7 (ES256), curve 1 (P-256). */
function coseKey(x: Buffer, y: Buffer): Buffer {
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
  const bytes = (label: number, value: Buffer) =>
    Buffer.concat([Buffer.from([label, 0x58, value.length]), value]);
  return Buffer.concat([head, bytes(0x21, x), bytes(0x22, y)]);
}

/** CBOR map of `fmt` "none", an empty `attStmt`, and `authData`. */
function attestationOf(data: Buffer): Buffer {
  const text = (word: string) =>
    Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)]);
  const length = Buffer.from([0x59, data.length >> 8, data.length & 0xff]);
  const statement = [text("fmt"), text("none"), text("attStmt"), Buffer.from([0xa0])];
  return Buffer.concat([Buffer.from([0xa3]), ...statement, text("authData"), length, data]);
}
