import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { SealKeys } from "./ports.ts";

/** A throw-away P-256 key, PKCS#8, and its certificate. It is public: never trust it. */
const PRIVATE_KEY = [
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtdvpL2GUIX2FwppzTxF5Bz6WuWIcBn8BY3flDH5A+Vyh",
  "RANCAAR5nrMic5uuSM4kRBBTWdzcZDyVLeu+rgrEi48513S6OUsK4w3kVMb6CX3oe0IPTSBZZW6v6+MpxNKwlcn1u1KN",
].join("");
const CERTIFICATE = [
  "MIIBqzCCAVGgAwIBAgIUY+s+iTH4VLwF0q2X5xkigrgQgkgwCgYIKoZIzj0EAwIwGjEYMBYGA1UEAwwPU2VhbGhvdXNl",
  "IHRlc3RzMB4XDTI2MTEyMTA5NDQyOVoXDTM2MTExODA5NDQyOVowGjEYMBYGA1UEAwwPU2VhbGhvdXNlIHRlc3RzMFkw",
  "EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeZ6zInObrkjOJEQQU1nc3GQ8lS3rvq4KxIuPOdd0ujlLCuMN5FTG+gl96HtC",
  "D00gWWVur+vjKcTSsJXJ9btSjaN1MHMwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYB",
  "BQUHAwMwHQYDVR0OBBYEFNCDDRkz7hsDqetfdMqqdWQHjfA3MB8GA1UdIwQYMBaAFNCDDRkz7hsDqetfdMqqdWQHjfA3",
  "MAoGCCqGSM49BAMCA0gAMEUCIHxJZkCeYP8ruVRGVotsUYwEmdr6UVSccbOlJCoIYf72AiEAiXjKCOeBJLvDIpyBacKu",
  "UNP/8KMT+LQitpOr1IwhvmY=",
].join("");

const OWN = createPrivateKey({
  key: Buffer.from(PRIVATE_KEY, "base64"),
  format: "der",
  type: "pkcs8",
});

export type TestSealKeys = SealKeys & {
  readonly publicKey: KeyObject;
  /** Number of signatures so far. */
  signatures(): number;
};

/** Cosign's key is the certificate's unless `other` requests an unknown one. */
export function createTestSealKeys(other = false): TestSealKeys {
  const key = other ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : OWN;
  const publicKey = createPublicKey(key);
  let signatures = 0;
  const counted = async (data: Uint8Array, how: Parameters<typeof sign>[2]) => {
    signatures += 1;
    return sign("sha256", data, how);
  };
  return {
    publicKey,
    signatures: () => signatures,
    cosign: async () => ({ publicKey, sign: (data) => counted(data, key) }),
    notation: async () => ({
      chain: [Buffer.from(CERTIFICATE, "base64")],
      algorithm: "ES256",
      sign: (data) => counted(data, { key: OWN, dsaEncoding: "ieee-p1363" }),
    }),
  };
}
