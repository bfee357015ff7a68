import type { KeyObject } from "node:crypto";
import { sign } from "node:crypto";
import type { KeyWithCertificate } from "../keys/key-signer.ts";
import type { OwnCertificate } from "../keys/own-certificate.ts";
import { createOwn } from "../keys/own-certificate.ts";
import { encodePfx } from "../pfx/pfx-write.ts";
import { openPfx } from "../pfx/pfx.ts";
import type { CertificateRequest } from "../x509/issue-certificate.ts";
import { issueCertificate } from "../x509/issue-certificate.ts";

/** A certificate that an ECDSA key over P-256 signs for itself. */
export type P256Certificate = {
  readonly key: KeyObject;
  readonly request: CertificateRequest;
};

/** Work of the thread. Arguments and results are values that can be copied between threads. */
export const TASKS = {
  /** A new key with its certificate, and both in a PFX file. */
  makeOwn: async (own: OwnCertificate, password: string) => {
    const content = await createOwn(own);
    return { content, pfx: await encodePfx(content, password) };
  },
  openPfx: (pfx: Uint8Array, password: string) => openPfx(pfx, password),
  encodePfx: (content: KeyWithCertificate, password: string) => encodePfx(content, password),
  issueP256: ({ key, request }: P256Certificate) =>
    issueCertificate(request, {
      name: request.subject,
      publicKey: request.publicKey,
      hash: "SHA256",
      scheme: "ecdsa-p256",
      sign: async (data) => sign("sha256", data, { key, dsaEncoding: "ieee-p1363" }),
    }),
} as const;

export type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

/** The message that asks the thread for one task. */
export type TaskCall = {
  [Name in TaskName]: { readonly name: Name; readonly args: Parameters<Tasks[Name]> };
}[TaskName];
