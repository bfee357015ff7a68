import type { PackageBytes, PackageReadOptions } from "../ports.ts";

/** A range of the received file, `[start, end)`, or inline bytes. */
export type SplicePiece =
  | { readonly kind: "range"; readonly start: number; readonly end: number }
  | { readonly kind: "inline"; readonly bytes: Uint8Array };

/** Plan to build a file from another one without a copy. */
export type SplicePlan = {
  /** Size of the file the plan was made for, in bytes. */
  readonly sourceSize: number;
  readonly pieces: readonly SplicePiece[];
};

/** Size of the file that the plan describes, in bytes. */
export function splicedSize(plan: SplicePlan): number {
  return plan.pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
}

/**
 * The file that `plan` describes, read lazily from `source`. Any range can be read.
 * @throws RangeError for a range outside the file or for a source of another size
 */
export function spliced(source: PackageBytes, plan: SplicePlan): PackageBytes {
  if (source.size !== plan.sourceSize) {
    throw new RangeError("The splice plan was made for a file of another size.");
  }
  const size = splicedSize(plan);
  return {
    size,
    read(range = { start: 0, end: size - 1 }, options) {
      const { start, end } = range;
      if (!(start >= 0 && start <= end && end < size)) {
        throw new RangeError(`The range ${start}-${end} is outside the file of ${size} bytes.`);
      }
      return readPieces(source, plan.pieces, { ...range, options });
    },
  };
}

/** Neighbours of the same kind become one piece; empty ones disappear. */
export function mergePieces(pieces: readonly SplicePiece[]): readonly SplicePiece[] {
  const merged: SplicePiece[] = [];
  let run: Uint8Array[] = [];
  const endRun = () => {
    if (run.length > 0) merged.push({ kind: "inline", bytes: Buffer.concat(run) });
    run = [];
  };
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (sizeOf(piece) === 0) continue;
    if (piece.kind === "inline") run.push(piece.bytes);
    else if (run.length === 0 && last?.kind === "range" && last.end === piece.start) {
      merged[merged.length - 1] = { kind: "range", start: last.start, end: piece.end };
    } else {
      endRun();
      merged.push(piece);
    }
  }
  endRun();
  return merged;
}

async function* readPieces(
  source: PackageBytes,
  pieces: readonly SplicePiece[],
  range: {
    readonly start: number;
    readonly end: number;
    readonly options: PackageReadOptions | undefined;
  },
): AsyncGenerator<Uint8Array> {
  let pieceStart = 0;
  for (const piece of pieces) {
    const size = sizeOf(piece);
    const from = Math.max(range.start - pieceStart, 0);
    const to = Math.min(range.end + 1 - pieceStart, size);
    pieceStart += size;
    if (from >= to) continue;
    if (piece.kind === "inline") yield piece.bytes.subarray(from, to);
    else {
      const [start, end] = [piece.start + from, piece.start + to - 1];
      yield* source.read({ start, end }, range.options);
    }
  }
}

function sizeOf(piece: SplicePiece): number {
  return piece.kind === "inline" ? piece.bytes.length : piece.end - piece.start;
}
