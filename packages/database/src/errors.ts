/** The text that should say where the database is does not; `part` names the bad piece. */
export class ConnectionStringError extends Error {
  override readonly name = "ConnectionStringError";
  readonly part: string;

  constructor(part: string, problem: string) {
    super(`The database connection string is wrong at "${part}": ${problem}`);
    this.part = part;
  }
}

/**
 * - `database-unreachable`: the database does not answer, or dropped the connection;
 * - `database-refused`: it answers, and does not let us in;
 * - `database-starting`: it starts or stops at the moment;
 * - `database-overloaded`: it takes no more connections, or all of ours are in use;
 * - `database-busy`: another process holds a lock for too long, or a statement took too long;
 * - `database-read-only`: it takes no changes, as a standby does;
 * - `database-full`: it has no disk space left; nothing was written.
 */
export type DatabaseUnavailability =
  | "database-unreachable"
  | "database-refused"
  | "database-starting"
  | "database-overloaded"
  | "database-busy"
  | "database-read-only"
  | "database-full";

/** The database cannot be used now. The message names it, for its operator alone. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
  readonly code: DatabaseUnavailability;

  constructor(
    message: string,
    options: ErrorOptions & { readonly code?: DatabaseUnavailability } = {},
  ) {
    super(message, options);
    this.code = options.code ?? "database-unreachable";
  }
}

/** The schema is older or newer than this program and may not be changed now. */
export class SchemaMismatchError extends Error {
  override readonly name = "SchemaMismatchError";
  readonly code = "schema-mismatch";
}

/** A row holds something its column never should: damaged data or a foreign writer. */
export class UnexpectedRowError extends Error {
  override readonly name = "UnexpectedRowError";

  constructor(column: string, found: unknown) {
    super(`The database gave ${found === null ? "null" : typeof found} for "${column}".`);
  }
}

/** A signature whose certificate was retired while it was made. By now another certificate signs,
 * or somebody has to configure one. */
export class RetiredCertificateError extends Error {
  override readonly name = "RetiredCertificateError";
  readonly code = "certificate-retired";
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string;

  constructor(fingerprint: string) {
    super(
      `The package was signed with the certificate ${fingerprint}, which was retired at the same ` +
        "moment; nothing was stored. Try again in a minute.",
    );
    this.fingerprint = fingerprint;
  }
}
