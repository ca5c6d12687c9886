/// Writes the manual pages and completion scripts of petal's commands into a folder. The build runs
/// this program, which is not installed.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/commands.h"
#include "cli/reference/completion.h"
#include "cli/reference/man_page.h"

namespace {

void write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text << std::flush;
    if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) throw std::runtime_error("usage: petal_reference FOLDER");
    const std::filesystem::path folder = argv[1];
    const auto root = petal::cli::read_definition(petal::cli::add_all_commands);
    // Removes pages of commands that no longer exist.
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder / "man1");
    for (const petal::cli::ManPage& page : petal::cli::man_pages(root)) {
        write_file(folder / "man1" / (page.name + ".1"), page.text);
    }
    write_file(folder / "petal.bash", petal::cli::bash_completion(root));
    write_file(folder / "_petal", petal::cli::zsh_completion(root));
    write_file(folder / "petal.fish", petal::cli::fish_completion(root));
    return 0;
} catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
}
