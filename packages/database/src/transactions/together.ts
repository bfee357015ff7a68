/**
 * Awaits statements of a transaction that do not depend on each other. PostgreSQL gets them without
 * a wait in between. After a failure it waits for all of them, so that none comes after the
 * rollback, and throws the first error: those of later statements only follow from it.
 */
export async function together<const T extends readonly unknown[]>(
  statements: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  let failure: { readonly error: unknown } | undefined;
  const results = await Promise.all(
    statements.map(async (statement) => {
      try {
        return await statement;
      } catch (error) {
        failure ??= { error };
        return undefined;
      }
    }),
  );
  if (failure) throw failure.error;
  return results as { -readonly [K in keyof T]: Awaited<T[K]> };
}
