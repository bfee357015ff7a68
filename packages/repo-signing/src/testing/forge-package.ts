import { createHash } from "node:crypto";
import { OID } from "../der/oid.ts";
import { writeSignatureEntry } from "../archive/signature-entry.ts";
import type { ForgedIdentity } from "./forge-certificate.ts";
import type { ForgedSigner } from "./forge-signature.ts";
import { attribute, forgeSignedData, forgeSigner } from "./forge-signature.ts";
import type { ArchiveOddities } from "@sealhouse/zip-archive/testing";
import { buildTestPackage } from "./test-package.ts";

/** A signed package, right unless told otherwise. */
export type ForgedPackage = {
  readonly signer: ForgedSigner;
  /** Additional signers. */
  readonly moreSigners?: readonly ForgedSigner[];
  /** Over the first signer's signature. */
  readonly countersigners?: readonly ForgedSigner[];
  /** Certificates in addition to those of the signers. */
  readonly certificates?: readonly ForgedIdentity[];
  readonly hasNoCertificates?: boolean;
  /** The text that is signed, made of the base64 of the package's SHA-256. */
  readonly content?: (packageHash: string) => Uint8Array | string;
  readonly odd?: ArchiveOddities;
  /** Changes `.signature.p7s` when it is finished. */
  readonly change?: (signature: Uint8Array) => Uint8Array;
  /** Changes the entry's two headers. */
  readonly changeEntry?: (entry: { local: Buffer; header: Buffer }) => void;
};

/** Every package that is forged here is this one, with another signature. */
export const FORGED_ID = "Forged.Package";

export function forgePackage(forged: ForgedPackage): Buffer {
  const plain = buildTestPackage(FORGED_ID, "1.0.0", forged.odd ? { odd: forged.odd } : {});
  return withSignature(plain, forgePackageSignature(plain, forged), forged);
}

/** The bytes of `.signature.p7s` for a package. */
export function forgePackageSignature(plain: Uint8Array, forged: ForgedPackage): Uint8Array {
  const hash = createHash("sha256").update(plain).digest("base64");
  const text = forged.content?.(hash) ?? `Version:1\n\n${OID.sha256}-Hash:${hash}\n\n`;
  const content = Buffer.from(text);
  const { signer, moreSigners = [], countersigners = [] } = forged;
  const counter = (signature: Uint8Array) =>
    countersigners.map((countersigner) =>
      attribute(OID.countersignature, forgeSigner(countersigner, signature, undefined)),
    );
  const unsigned = (signature: Uint8Array) => [
    ...(signer.unsigned?.(signature) ?? []),
    ...counter(signature),
  ];
  const all = [{ ...signer, unsigned }, ...moreSigners];
  const identities = [...all, ...countersigners].map(({ identity }) => identity);
  const distinct = new Set([...identities, ...(forged.certificates ?? [])]);
  const signature = forgeSignedData(content, {
    certificates: forged.hasNoCertificates === true ? [] : [...distinct],
    signers: all.map((forgedSigner) => forgeSigner(forgedSigner, content, OID.data)),
  });
  return forged.change?.(signature) ?? signature;
}

/** Puts a signature behind the last entry. */
export function withSignature(
  plain: Buffer,
  signature: Uint8Array,
  { changeEntry, odd }: Pick<ForgedPackage, "changeEntry" | "odd"> = {},
): Buffer {
  const endStart = plain.length - 22 - Buffer.byteLength(odd?.comment ?? "");
  const directoryStart = plain.readUInt32LE(endStart + 16);
  const entry = writeSignatureEntry(signature, { offset: directoryStart, time: new Date() });
  changeEntry?.(entry);
  const end = Buffer.from(plain.subarray(endStart));
  end.writeUInt16LE(end.readUInt16LE(8) + 1, 8);
  end.writeUInt16LE(end.readUInt16LE(10) + 1, 10);
  end.writeUInt32LE(end.readUInt32LE(12) + entry.header.length, 12);
  end.writeUInt32LE(directoryStart + entry.local.length, 16);
  return Buffer.concat([
    plain.subarray(0, directoryStart),
    entry.local,
    plain.subarray(directoryStart, endStart),
    entry.header,
    end,
  ]);
}
