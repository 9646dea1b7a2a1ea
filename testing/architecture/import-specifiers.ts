import { type ESTree, parseSync, Visitor } from "vite";

/** Lists every module that a source names in an import, export-from, import(), import type or require, in order. */
export function importSpecifiers(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source);
  const [error] = errors;
  if (error) throw new Error(`${file} cannot be parsed: ${error.message}`);
  const found: string[] = [];
  const add = (node: ESTree.Node | null | undefined) => {
    const text = node && literalText(node);
    if (text !== undefined && text !== null) found.push(text);
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    TSExternalModuleReference: (node) => add(node.expression),
    CallExpression: (node) => {
      if (isRequire(node.callee)) add(node.arguments[0]);
    },
  }).visit(program);
  return found;
}

function isRequire(callee: ESTree.Node): boolean {
  if (callee.type === "MemberExpression") {
    return (
      isRequire(callee.object) && callee.property.type === "Identifier" && callee.property.name === "resolve"
    );
  }
  return callee.type === "Identifier" && callee.name === "require";
}

function literalText(node: ESTree.Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}
