/**
 * Reads numbers at the same time. Omits those whose read fails, and those that are missing after
 * `timeoutMs`: their reads continue.
 */
export async function knownValues<Name extends string>(
  reads: Readonly<Record<Name, () => Promise<number>>>,
  timeoutMs: number,
): Promise<Readonly<Partial<Record<Name, number>>>> {
  const values: Partial<Record<Name, number>> = {};
  const names = Object.keys(reads) as Name[];
  const all = Promise.all(
    names.map(async (name) => {
      try {
        values[name] = await reads[name]();
      } catch {
        // The others are worth having then.
      }
    }),
  );
  const { promise: end, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, timeoutMs, undefined);
  await Promise.race([all, end]);
  clearTimeout(timer);
  return { ...values };
}
