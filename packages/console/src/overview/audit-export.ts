import { jsonOf } from "./audit-page.ts";
import type { AuditFilters, AuditReader } from "./overview-sources.ts";

const RECORDS_AT_ONCE = 500;

/** Streams all records with these filters as JSON lines, the oldest first, page by page. */
export function exportResponse(
  { read }: Pick<AuditReader, "read">,
  filters: AuditFilters,
): Response {
  const encoder = new TextEncoder();
  let after: string | undefined;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const place = { order: "oldest-first", limit: RECORDS_AT_ONCE } as const;
      const page = await read({ ...filters, ...place, ...(after !== undefined && { after }) });
      const lines = page.records.map((record) => `${JSON.stringify(jsonOf(record))}\n`);
      controller.enqueue(encoder.encode(lines.join("")));
      after = page.next;
      if (after === undefined) controller.close();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "application/x-ndjson",
      "content-disposition": 'attachment; filename="audit.jsonl"',
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    },
  });
}
