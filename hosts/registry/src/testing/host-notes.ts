import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Exchanges and output of a host, for the report of a failed test. */
export type HostNotes = {
  readonly url: string;
  /** Everything that the host has printed. */
  readonly output: () => string;
  /** The last requests of the test with the status of their answers. */
  readonly exchanges: string[];
  isClosed: boolean;
};

const EXCHANGES_MAX = 12;
const notes = new Set<HostNotes>();

/** Notes a host that a test has started. */
export function noteHost(host: Pick<HostNotes, "url" | "output">): HostNotes {
  const noted: HostNotes = { ...host, exchanges: [], isClosed: false };
  notes.add(noted);
  return noted;
}

/** Notes a request and its answer, or the reason why none came. */
export async function noteExchange(
  { exchanges }: HostNotes,
  request: { readonly method: string; readonly path: string },
  call: () => Promise<Response>,
): Promise<Response> {
  const note = (outcome: string) => {
    exchanges.push(`${request.method} ${request.path} -> ${outcome}`);
    if (exchanges.length > EXCHANGES_MAX) exchanges.shift();
  };
  try {
    const answer = await call();
    note(`${answer.status} ${answer.headers.get("content-type") ?? ""}`.trimEnd());
    return answer;
  } catch (error) {
    note(String(error));
    throw error;
  }
}

/**
 * Returns lines about the hosts of a failed test: the requests with their answers, and the file
 * where the log of the host now is.
 */
export function describeHosts(testId: string): readonly string[] {
  return [...notes].flatMap(({ url, output, exchanges }, index) => {
    const file = join(tmpdir(), `sealhouse-failed-${testId}-${index}.log`);
    writeFileSync(file, output());
    return [`Host ${url}, its log: ${file}`, ...exchanges.map((exchange) => `  ${exchange}`)];
  });
}

/** Forgets the hosts that have ended: the next test is not about them. */
export function forgetClosedHosts(): void {
  for (const host of notes) if (host.isClosed) notes.delete(host);
}
