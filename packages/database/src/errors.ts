/** The text that should say where the database is does not; `part` names the bad piece. */
export class ConnectionStringError extends Error {
  override readonly name = "ConnectionStringError";
  readonly part: string;

  constructor(part: string, problem: string) {
    super(`The database connection string is wrong at "${part}": ${problem}`);
    this.part = part;
  }
}

/** The database cannot be reached, or is not in a state this program can work with. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

/** The schema is older or newer than this program and may not be changed now. */
export class SchemaMismatchError extends Error {
  override readonly name = "SchemaMismatchError";
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
