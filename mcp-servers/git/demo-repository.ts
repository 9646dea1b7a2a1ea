import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runGit } from "./git-command.ts";

const history = [
  {
    date: "2026-01-12T09:00:00Z",
    message: "Start the recipe book",
    files: { "README.md": "# Recipes\n\nThings that we cook.\n" },
  },
  {
    date: "2026-01-13T18:30:00Z",
    message: "Add a soup",
    files: { "soups/tomato.md": "# Tomato soup\n\n- 1 kg tomatoes\n- 1 onion\n- salt\n" },
  },
  {
    date: "2026-01-15T12:10:00Z",
    message: "The soup needs garlic",
    files: {
      "soups/tomato.md": "# Tomato soup\n\n- 1 kg tomatoes\n- 1 onion\n- 2 cloves of garlic\n- salt\n",
    },
  },
];

/** Makes a small repository with some history in this folder, unless there is one already. */
export async function demoRepository(folder: string): Promise<void> {
  if (existsSync(join(folder, ".git"))) return;
  await mkdir(folder, { recursive: true });
  await runGit(folder, ["init", "--quiet", "--initial-branch=main"]);
  for (const { date, message, files } of history) {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await runGit(folder, ["add", "--all"]);
    const author = [
      "-c",
      "user.name=Demo",
      "-c",
      "user.email=demo@example.com",
      "-c",
      "commit.gpgSign=false",
    ];
    await runGit(folder, [...author, "commit", "--quiet", `--date=${date}`, `--message=${message}`]);
  }
}
