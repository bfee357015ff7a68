import type { IdleUploads, OpenUploads, UploadCatalog, UploadSession } from "../ports.ts";

type Row = {
  readonly session: UploadSession;
  readonly usedAt: number;
  readonly claim?: { readonly writer: string; readonly until: number };
};

/** Upload sessions in a map; `now` is in milliseconds. */
export function createMemoryUploads(
  now: () => number = Date.now,
): UploadCatalog & OpenUploads & IdleUploads {
  const rows = new Map<string, Row>();
  const heldBy = (id: string): string | undefined => {
    const claim = rows.get(id)?.claim;
    return claim && claim.until > now() ? claim.writer : undefined;
  };

  return {
    async create(begun, claim) {
      if (rows.has(begun.id)) return false;
      const { isNew: _, ...session } = begun;
      const newClaim = claim && { writer: claim.writer, until: now() + claim.leaseMs };
      rows.set(session.id, { session, usedAt: now(), ...(newClaim && { claim: newClaim }) });
      return true;
    },
    async find(id, idleSince) {
      const row = rows.get(id);
      return row && (idleSince === undefined || row.usedAt >= idleSince.getTime())
        ? row.session
        : undefined;
    },
    async claim(id, writer, leaseMs) {
      const row = rows.get(id);
      const holder = heldBy(id);
      if (!row || (holder !== undefined && holder !== writer)) return false;
      rows.set(id, { ...row, usedAt: now(), claim: { writer, until: now() + leaseMs } });
      return true;
    },
    async advance(id, writer, offset, { last = false } = {}) {
      const row = rows.get(id);
      if (!row || heldBy(id) !== writer) return false;
      const { bytes: _, ...before } = row.session;
      const session = { ...before, offset };
      rows.set(id, { session, usedAt: now(), ...(!last && row.claim && { claim: row.claim }) });
      return true;
    },
    async release(id, writer) {
      const row = rows.get(id);
      if (row?.claim?.writer === writer) rows.set(id, { session: row.session, usedAt: row.usedAt });
    },
    async remove(id) {
      rows.delete(id);
    },
    async take(id, offset) {
      const isUnmoved = rows.get(id)?.session.offset === offset && heldBy(id) === undefined;
      return isUnmoved && rows.delete(id);
    },
    async countOpen(owner, idleSince = new Date(0)) {
      const isOpen = ({ session, usedAt }: Row) =>
        session.owner === owner && usedAt >= idleSince.getTime();
      return [...rows.values()].filter(isOpen).length;
    },
    async expire(idleSince, limit) {
      const idle = [...rows]
        .filter(([id, row]) => row.usedAt < idleSince.getTime() && heldBy(id) === undefined)
        .slice(0, limit)
        .map(([id]) => id);
      for (const id of idle) rows.delete(id);
      return idle;
    },
  };
}
