import { NpmError } from "../errors.ts";

/** Limits the memory of all audits of an app together. */
export type AuditMemory = {
  /** Begins an audit, which uses no memory yet. Disposal returns its memory. */
  open(): AuditReservation;
};

/** Memory of one audit. */
export type AuditReservation = Disposable & {
  /**
   * Reserves more bytes.
   *
   * @throws NpmError `unavailable`
   */
  add(bytes: number): void;
};

const RETRY_AFTER_SECONDS = 5;

/** Creates a limit of `bytesMax` bytes, which all running audits share. */
export function createAuditMemory(bytesMax: number): AuditMemory {
  let total = 0;
  return {
    open() {
      let own = 0;
      return {
        add(bytes) {
          if (total + bytes > bytesMax) throw busy();
          own += bytes;
          total += bytes;
        },
        [Symbol.dispose]() {
          total -= own;
          own = 0;
        },
      };
    },
  };
}

function busy(): NpmError {
  const text = "This registry runs too many audits at the moment. Try again in some seconds.";
  const headers = { "retry-after": String(RETRY_AFTER_SECONDS) };
  return new NpmError("unavailable", text, { headers });
}
