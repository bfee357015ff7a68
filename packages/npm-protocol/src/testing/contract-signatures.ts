import assert from "node:assert/strict";
import type { KeyProtection } from "../signatures/ports.ts";
import { isSignedBy } from "../signatures/registry-signature.ts";
import { signMissing } from "../signatures/sign-missing.ts";
import {
  createVersionSigner,
  currentOf,
  ensureKey,
  replaceKey,
  withSignatures,
} from "../signatures/version-signer.ts";
import type { NpmCatalog } from "./contract-fixtures.ts";
import { alice, indexes, keepDocument, newVersion } from "./contract-fixtures.ts";
import type { NpmPortsTest } from "./ports-test.ts";

/** Encrypts nothing, but reveals a sealed key that was returned unopened. */
const protection: KeyProtection = {
  seal: (key) => key.map((byte) => byte ^ 0xa5),
  open: async (sealed) => sealed.map((byte) => byte ^ 0xa5),
};

const startedAt = Date.parse("2026-05-04T10:00:00.000Z");

function partsOf({ signingKeys, unsigned }: NpmCatalog) {
  let ticks = 0;
  // A clock that moves, so that keys have an order.
  const now = () => new Date(startedAt + (ticks += 1) * 1000);
  const parts = { keys: signingKeys, protection, now };
  const sign = createVersionSigner(parts);
  const whole = { after: 0, pause: async () => {} };
  const missing = () => signMissing({ keys: signingKeys, versions: unsigned, sign }, whole);
  return { parts, sign, missing };
}

const keys: readonly NpmPortsTest[] = [
  {
    name: "makes one key, however many ask for it at once",
    async run(catalog) {
      const { parts } = partsOf(catalog);
      await Promise.all(indexes(8).map(() => ensureKey(parts)));
      const [key, ...more] = await catalog.signingKeys.list();
      assert.deepEqual(more, []);
      assert.match(key?.keyId ?? "", /^SHA256:[A-Za-z0-9+/]{43}$/);
      assert.deepEqual(await catalog.signingKeys.announced(), []);
    },
  },
  {
    name: "shows signatures from the moment that clients are told of the key",
    async run(catalog) {
      const { sign, missing } = partsOf(catalog);
      const recorder = withSignatures(catalog.recorder, sign);
      await recorder.publish(newVersion({ version: "1.0.0" }), alice);
      assert.equal((await demo(catalog))[0]?.signatures, undefined);
      await keepDocument(catalog, "demo");
      await missing();
      assert.equal(await catalog.documents.read("contract/demo"), undefined);
      const [key] = await catalog.signingKeys.announced();
      const [version] = await demo(catalog);
      const [signature] = version?.signatures ?? [];
      assert.ok(key && version && signature);
      assert.equal(signature.keyid, key.keyId);
      const signed = { name: "demo", version: "1.0.0", integrity: version.integrity };
      assert.ok(isSignedBy(signed, signature.sig, key.publicKey));
      assert.ok(!isSignedBy({ ...signed, version: "1.0.1" }, signature.sig, key.publicKey));
    },
  },
  {
    name: "withdraws keys and signatures together, and brings both back",
    async run(catalog) {
      const { sign, missing } = partsOf(catalog);
      await withSignatures(catalog.recorder, sign).publish(newVersion({}), alice);
      await missing();
      await keepDocument(catalog, "demo");
      await catalog.signingKeys.announce("none");
      assert.equal(await catalog.documents.read("contract/demo"), undefined);
      assert.deepEqual(await catalog.signingKeys.announced(), []);
      assert.equal((await demo(catalog))[0]?.signatures, undefined);
      await missing();
      assert.equal((await demo(catalog))[0]?.signatures?.length, 1);
    },
  },
  {
    name: "replaces a key, which goes on vouching for what it signed",
    async run(catalog) {
      const { parts, sign, missing } = partsOf(catalog);
      const recorder = withSignatures(catalog.recorder, sign);
      await recorder.publish(newVersion({ version: "1.0.0" }), alice);
      await missing();
      const newId = await replaceKey(parts, alice);
      await recorder.publish(newVersion({ version: "2.0.0" }), alice);
      const announced = await catalog.signingKeys.announced();
      const [first, second, ...more] = announced;
      assert.deepEqual(more, []);
      assert.equal(second?.keyId, newId);
      assert.equal(second?.expiresAt, undefined);
      assert.ok(first?.expiresAt);
      assert.equal(currentOf(await catalog.signingKeys.list())?.keyId, newId);
      const signers = (await demo(catalog)).map((npmVersion) =>
        npmVersion.signatures?.map((by) => by.keyid),
      );
      assert.deepEqual(signers, [[first.keyId], [newId]]);
    },
  },
];

const revoking: readonly NpmPortsTest[] = [
  {
    name: "takes back a key with all it signed, and shows nothing until all is signed again",
    async run(catalog) {
      const { parts, sign, missing: signAll } = partsOf(catalog);
      const { signingKeys } = catalog;
      const recorder = withSignatures(catalog.recorder, sign);
      await recorder.publish(newVersion({ version: "1.0.0" }), alice);
      const { signedUpTo } = await signAll();
      const [stolen] = await signingKeys.list();
      assert.ok(stolen);
      assert.equal(await signingKeys.revoke(stolen.keyId, alice), "signs");
      const newId = await replaceKey(parts, alice);
      await recorder.publish(newVersion({ version: "2.0.0" }), alice);
      await keepDocument(catalog, "demo");
      assert.equal(await signingKeys.revoke(stolen.keyId, alice), "revoked");
      assert.equal(await signingKeys.revoke(stolen.keyId, alice), "absent");
      assert.equal(await catalog.documents.read("contract/demo"), undefined);
      assert.deepEqual(await signingKeys.announced(), []);
      const shown = async () =>
        (await demo(catalog)).map((npmVersion) => npmVersion.signatures?.map((by) => by.keyid));
      assert.deepEqual(await shown(), [undefined, undefined]);

      // A run after a complete one begins again.
      const run = { after: signedUpTo, pause: async () => {} };
      const all = { keys: signingKeys, versions: catalog.unsigned, sign };
      assert.equal((await signMissing(all, run)).signed, 1);
      assert.deepEqual(await shown(), [[newId], [newId]]);
      const announced = await signingKeys.announced();
      assert.deepEqual(
        announced.map(({ keyId }) => keyId),
        [newId],
      );
    },
  },
];

const missing: readonly NpmPortsTest[] = [
  {
    name: "signs what was published without a signature, then tells of the key",
    async run(catalog) {
      const before = indexes(5).map((patch) => newVersion({ version: `1.0.${patch}` }));
      for (const version of before) await catalog.recorder.publish(version, alice);
      await catalog.recorder.publish(newVersion({ name: "other" }), alice);
      const parts = partsOf(catalog);
      const { signed, signedUpTo } = await parts.missing();
      assert.deepEqual([signed, signedUpTo], [6, await catalog.unsigned.lastId()]);
      const signatures = (await demo(catalog)).map((npmVersion) => npmVersion.signatures?.length);
      assert.deepEqual(signatures, [1, 1, 1, 1, 1]);
      assert.equal((await catalog.signingKeys.announced()).length, 1);
      assert.equal((await parts.missing()).signed, 0);
    },
  },
  {
    name: "gives a signed version no second signature",
    async run(catalog) {
      await catalog.recorder.publish(newVersion({}), alice);
      const [unsignedVersion] = await catalog.unsigned.between({ after: 0, upTo: 1e9 });
      assert.ok(unsignedVersion);
      const { id, name } = unsignedVersion;
      await catalog.unsigned.keep([{ id, name, signatures: [{ keyid: "SHA256:a", sig: "A" }] }]);
      await catalog.unsigned.keep([{ id, name, signatures: [{ keyid: "SHA256:b", sig: "B" }] }]);
      const { parts } = partsOf(catalog);
      await ensureKey(parts);
      await catalog.signingKeys.announce("all");
      const [version] = await demo(catalog);
      assert.deepEqual(version?.signatures, [{ keyid: "SHA256:a", sig: "A" }]);
    },
  },
];

async function demo({ lookup }: NpmCatalog) {
  const npmPackage = await lookup.find("demo");
  assert.ok(npmPackage);
  return npmPackage.versions;
}

/** Contract of catalogs: signatures of the registry. */
export const signaturesContract: readonly NpmPortsTest[] = [...keys, ...revoking, ...missing];
