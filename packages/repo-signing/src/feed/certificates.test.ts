import { expect, test } from "vitest";
import { createMemoryLedger, createTestSigner } from "../testing/index.ts";
import { certificateRecordOf } from "../x509/certificate-record.ts";
import { findCertificate, listCertificates } from "./certificate-list.ts";
import { retireCertificate } from "./retire-certificate.ts";
import type { Retirement } from "./retire-certificate.ts";
import { rotateCertificate } from "./rotate-certificate.ts";

const now = () => new Date();
const signer = await createTestSigner();
const { fingerprint } = certificateRecordOf(signer.chain[0] ?? new Uint8Array());
const tools = { signer: async () => signer, rotate: undefined, successor: undefined };

test("a configured certificate is listed an hour before it signs", async () => {
  const ledger = createMemoryLedger();
  const rotated = await rotateCertificate({ tools, ledger, now }, { atOnce: false });
  expect(rotated).toMatchObject({ status: "configured", certificate: { fingerprint } });
  const seals = { counts: async () => new Map([[fingerprint, 2]]) };
  expect(await listCertificates({ ledger, seals, now })).toMatchObject([
    { fingerprint, state: "prepared", versions: 2 },
  ]);
  const later = () => new Date(Date.now() + 3_601_000);
  expect(await listCertificates({ ledger, seals, now: later })).toMatchObject([
    { state: "active" },
  ]);
  ledger.retire(fingerprint);
  expect(await listCertificates({ ledger, seals, now: later })).toMatchObject([
    { state: "retired" },
  ]);
});

test("a configured certificate that signs already is not announced again", async () => {
  const ledger = createMemoryLedger();
  await rotateCertificate({ tools, ledger, now }, { atOnce: true });
  const again = await rotateCertificate({ tools, ledger, now }, { atOnce: true });
  expect(again).toMatchObject({ status: "in-use", record: { fingerprint } });
});

test.each([
  ["ab", "ambiguous"],
  ["AB:C", { fingerprint: "abcd" }],
  ["ff", "unknown"],
  [" ", "unknown"],
])("the fingerprint %j finds %j", (text, expected) => {
  const records = [{ fingerprint: "abcd" }, { fingerprint: "abff" }];
  expect(findCertificate(records, text)).toEqual(expected);
});

/** Retires the certificate of `openTools`, and records the calls. */
function retire(
  openTools: () => Promise<typeof tools>,
  record: { readonly fingerprint: string; readonly active: boolean },
  resigns = false,
) {
  const calls: string[] = [];
  const parts = {
    now,
    openTools,
    async retire(retired: string): Promise<Retirement> {
      calls.push(`retire ${retired}`);
      return { status: "retired" };
    },
  };
  const resign = async () => void calls.push("resign");
  const onUnchecked = ({ message }: Error) => void calls.push(message);
  const how = { resign: resigns ? resign : undefined, onUnchecked };
  return { calls, outcome: retireCertificate(parts, record, how) };
}

test("the certificate that signs now is not retired", async () => {
  const { calls, outcome } = retire(async () => tools, { fingerprint, active: true }, true);
  expect(await outcome).toEqual({ status: "current" });
  expect(calls).toEqual([]);
});

test("versions of an older certificate are signed again before it is retired", async () => {
  const older = { fingerprint: "00", active: true };
  const { calls, outcome } = retire(async () => tools, older, true);
  expect(await outcome).toEqual({ status: "retired" });
  expect(calls).toEqual(["resign", "retire 00"]);
});

test("a certificate is retired while the key service is down", async () => {
  const older = { fingerprint: "00", active: true };
  const down = () => Promise.reject(new Error("no answer"));
  const unchecked = retire(down, older);
  expect(await unchecked.outcome).toEqual({ status: "retired" });
  expect(unchecked.calls).toEqual(["no answer", "retire 00"]);
  const resigning = retire(down, older, true);
  await expect(resigning.outcome).rejects.toThrow("no answer");
  expect(resigning.calls).toEqual([]);
});
