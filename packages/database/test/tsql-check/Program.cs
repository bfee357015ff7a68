// Checks T-SQL with Microsoft's parser and model. No server is needed:
//   TsqlCheck INPUT.json
// The input has the statements that create the schema, and the statements of the product with the
// types of their parameters. Each of the latter becomes the body of a procedure. The check finds
// wrong syntax and unknown tables, columns and parameters; it knows nothing of types, collations
// and plans. Prints a line for each finding, then `N statements, N findings`.
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.SqlServer.Dac.Model;

var input = JsonSerializer.Deserialize<Input>(
    File.ReadAllText(args[0]), new JsonSerializerOptions(JsonSerializerDefaults.Web))!;
using var model = new TSqlModel(SqlServerVersion.Sql150, new TSqlModelOptions());
var findings = new List<string>();

foreach (var (statement, number) in input.Schema.Select((sql, index) => (sql, index + 1)))
{
    Add($"schema {number}", statement);
}
foreach (var (statement, number) in input.Statements.Select((one, index) => (one, index + 1)))
{
    var parameters = string.Join(", ", statement.Parameters.Select(one => $"{one.Key} {one.Value}"));
    var name = $"check_{number}_{Regex.Replace(statement.Name, @"\W", "_")}";
    Add(statement.Name, $"create procedure [dbo].[{name}] {parameters} as\n{statement.Sql}");
}
findings.AddRange(model.Validate().Select(one => $"{one.MessageType} {one.Number}: {one.Message}"));

// After a syntax error, the model repeats it for every later statement.
foreach (var finding in findings.Distinct()) Console.WriteLine(finding);
Console.WriteLine($"{input.Statements.Count} statements, {findings.Count} findings");
return findings.Count == 0 ? 0 : 1;

void Add(string name, string script)
{
    try
    {
        model.AddObjects(script);
    }
    catch (DacModelException error)
    {
        findings.AddRange(error.Messages.Select(message => $"{name}: {message.Message}"));
    }
}

internal sealed record Input(List<string> Schema, List<Statement> Statements);

internal sealed record Statement(string Name, string Sql, Dictionary<string, string> Parameters);
