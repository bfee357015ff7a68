import { DerError } from "../der/reader.ts";
import type { Certificate } from "./certificate.ts";
import { parseCertificate, subjectOf } from "./certificate.ts";

/** Trusted roots, found by their names. */
export type RootList = {
  /** The roots with this subject (a Name, DER). */
  withSubject(subjectDer: Uint8Array): readonly Certificate[];
};

/**
 * Indexes certificates by their subjects. A root is parsed when a chain looks for its subject: a
 * list has hundreds of roots, and a signature needs one of them. A root that cannot be parsed is
 * not trusted.
 *
 * @throws DerError when one is not a certificate
 */
export function createRootList(ders: readonly Uint8Array[]): RootList {
  const bySubject = new Map<string, Uint8Array[]>();
  for (const der of ders) {
    const subject = keyOf(subjectOf(der));
    const others = bySubject.get(subject);
    if (others) others.push(der);
    else bySubject.set(subject, [der]);
  }
  const parsed = new Map<string, readonly Certificate[]>();
  return {
    withSubject(subjectDer) {
      const subject = keyOf(subjectDer);
      const cachedCertificates = parsed.get(subject);
      if (cachedCertificates) return cachedCertificates;
      const roots = (bySubject.get(subject) ?? []).flatMap(readable);
      // Subjects that no root has come from strangers, and would fill the memory.
      if (roots.length > 0) parsed.set(subject, roots);
      return roots;
    },
  };
}

function readable(der: Uint8Array): readonly Certificate[] {
  try {
    return [parseCertificate(der)];
  } catch (cause) {
    if (cause instanceof DerError) return [];
    throw cause;
  }
}

function keyOf(name: Uint8Array): string {
  return Buffer.from(name.buffer, name.byteOffset, name.length).toString("latin1");
}
