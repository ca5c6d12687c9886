# Run by `cmake --install`: copies petal_headers, paths below petal_root, to petal_staging, where
# they include each other as "petal/chain/bytes.h" instead of "chain/bytes.h". So users need no
# include path on which a folder has a name as common as chain or net.
file(REMOVE_RECURSE "${petal_staging}")
foreach(header IN LISTS petal_headers)
    file(READ "${petal_root}/${header}" text)
    string(REGEX REPLACE "(^|\n)([ \t]*#[ \t]*include[ \t]*\")" "\\1\\2petal/" text "${text}")
    file(WRITE "${petal_staging}/petal/${header}" "${text}")
endforeach()
