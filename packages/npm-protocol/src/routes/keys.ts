import type { Call } from "./call.ts";
import { authorizeCall, notFound } from "./call.ts";
import { sendJson } from "./send-json.ts";

const KIND = "ecdsa-sha2-nistp256";

/** `/-/npm/v1/keys`. Clients that get 404 take it that nothing is signed here. */
export async function listKeys(call: Call): Promise<Response> {
  await authorizeCall(call, { action: "read" });
  const own = await call.ports.signingKeys.announced();
  const known = new Set(own.map(({ keyId }) => keyId));
  const others = (await call.ports.upstream.keys()).filter(({ keyId }) => !known.has(keyId));
  const announced = [...own, ...others];
  if (announced.length === 0) throw notFound("This registry does not sign packages.");
  const keys = announced.map(({ keyId, publicKey, expiresAt }) => ({
    expires: expiresAt?.toISOString() ?? null,
    keyid: keyId,
    keytype: KIND,
    scheme: KIND,
    key: publicKey,
  }));
  // A key that is new must be known as soon as there is a version that it signed.
  return sendJson(call, JSON.stringify({ keys }), { isSameForAll: true });
}
