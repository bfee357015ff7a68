// Signing mode `Pkcs11`: the key lives in a device (HSM, smart card, token) and never leaves it.
// An example of the signing port; change it to fit your device. See docs/signing/pkcs11.md.
import { createPublicKey } from "node:crypto";
import {
  certificateOfKey,
  certificateSettings,
  createRemoteKey,
  ModeSettingError,
  signerOfKey,
  SigningError,
} from "@sealhouse/repo-signing";
import pkcs11 from "pkcs11js";

const SECTION = "Signing__Pkcs11";
const key = (name) => `${SECTION}__${name}`;
const required = (about) => ({ kind: { type: "text" }, required: true, about });
const settings = {
  [key("Library")]: { ...required("PKCS#11 library of the device."), kind: { type: "path" } },
  [key("TokenLabel")]: required("Label of the token."),
  [key("KeyLabel")]: required("Label of the RSA private key."),
  [key("Pin")]: { ...required("PIN of the user."), secret: true },
  ...certificateSettings(SECTION),
};

/** A library may be started once in a process, and is used by every signer that is open. */
const started = new Map();
function start(path) {
  const device = started.get(path) ?? new pkcs11.PKCS11(path);
  if (!started.has(path)) device.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK });
  started.set(path, device);
  return device;
}

/** A session that is logged in: as long as one is open, the others are, too. */
function openSession(device, { values }) {
  const label = values[key("TokenLabel")];
  const named = (slot) => device.C_GetTokenInfo(slot).label.trim() === label;
  const slot = device.C_GetSlotList(true).find(named);
  if (!slot) throw new ModeSettingError(key("TokenLabel"), `There is no token ${label}.`);
  const session = device.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION);
  try {
    device.C_Login(session, pkcs11.CKU_USER, values[key("Pin")]);
  } catch (cause) {
    if (cause.code === pkcs11.CKR_USER_ALREADY_LOGGED_IN) return session;
    device.C_CloseSession(session);
    throw new ModeSettingError(key("Pin"), `The device refused it: ${cause.message}.`, { cause });
  }
  return session;
}

function findKey(device, session, { values }) {
  const label = values[key("KeyLabel")];
  device.C_FindObjectsInit(session, [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PRIVATE_KEY },
    { type: pkcs11.CKA_LABEL, value: label },
  ]);
  const [found] = device.C_FindObjects(session, 1);
  device.C_FindObjectsFinal(session);
  if (!found) throw new ModeSettingError(key("KeyLabel"), `There is no private key ${label}.`);
  return found;
}

/** DigestInfo of SHA-256 up to the digest (RFC 8017, 9.2); the device adds padding and signs. */
const SHA256_INFO = Buffer.from("3031300d060960864801650304020105000420", "hex");

async function sign(device, context, digest) {
  // A session of its own, so that signatures do not wait for each other.
  const session = openSession(device, context);
  try {
    const mechanism = { mechanism: pkcs11.CKM_RSA_PKCS };
    device.C_SignInit(session, mechanism, findKey(device, session, context));
    const info = Buffer.concat([SHA256_INFO, digest]);
    return await device.C_SignAsync(session, info, Buffer.alloc(1024));
  } catch (cause) {
    if (cause instanceof ModeSettingError) throw cause;
    throw new SigningError("signer", `The device did not sign: ${cause.message}.`, {
      retryable: true,
      cause,
    });
  } finally {
    device.C_CloseSession(session);
  }
}

function openDevice(context) {
  const device = start(context.values[key("Library")]);
  const session = openSession(device, context);
  const [modulus, exponent] = device.C_GetAttributeValue(
    session,
    findKey(device, session, context),
    [{ type: pkcs11.CKA_MODULUS }, { type: pkcs11.CKA_PUBLIC_EXPONENT }],
  );
  const [n, e] = [modulus, exponent].map(({ value }) => value.toString("base64url"));
  const publicKey = createPublicKey({ key: { kty: "RSA", n, e }, format: "jwk" });
  const remote = {
    hash: "SHA256",
    publicKey: publicKey.export({ format: "der", type: "spki" }),
    keyName: `key ${context.values[key("KeyLabel")]} of the device`,
    signDigest: (digest) => sign(device, context, digest),
  };
  return { remote, [Symbol.asyncDispose]: async () => device.C_CloseSession(session) };
}

async function open(context) {
  const certificate = await certificateOfKey(SECTION, context);
  const { remote, ...disposable } = openDevice(context);
  try {
    return { ...(await signerOfKey(remote, certificate, { context })), ...disposable };
  } catch (cause) {
    await disposable[Symbol.asyncDispose]();
    throw cause;
  }
}

/** Without a certificate, to ask for one: `sealhouse signing csr`. */
async function openKey(context) {
  const { remote, ...disposable } = openDevice(context);
  return { ...createRemoteKey(remote), ...disposable };
}

export const extension = { name: "pkcs11", signingModes: { Pkcs11: { settings, open, openKey } } };
