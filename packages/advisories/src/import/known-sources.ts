import type { SourceLedger } from "../ports.ts";
import { parseState } from "../sources/source-state.ts";

/** An imported source. */
export type ImportedSource = {
  readonly name: string;
  readonly location: string;
  /** The last import that changed something. */
  readonly updatedAt: Date;
  readonly checkedAt: Date;
  /** True when a person named the source, and not the configuration. */
  readonly isByHand: boolean;
};

export async function importedSources(ledger: SourceLedger): Promise<readonly ImportedSource[]> {
  const sources = await ledger.sources();
  return sources.map(({ name, updatedAt, checkedAt, state }) => {
    const { location = "", isByHand = false } = parseState(state) ?? {};
    return { name, location, updatedAt, checkedAt, isByHand };
  });
}
