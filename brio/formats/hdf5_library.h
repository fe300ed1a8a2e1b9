// The functions of libhdf5 that are used, found at run time: the library pulls in many others, so that a program
// loads it when it first meets such a file, and no build needs it. Only what has had one form since version 1.10.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace brio::formats {

using Hdf5Id = int64_t;
using Hdf5Size = uint64_t;

struct Hdf5ErrorRow {
  Hdf5Id cls_id, maj_num, min_num;
  unsigned line;
  const char *func_name, *file_name, *desc;
};
using Hdf5ErrorWalk = int (*)(unsigned n, const Hdf5ErrorRow* row, void* data);
struct Hdf5GroupInfo {
  int storage_type;
  Hdf5Size links;
  int64_t max_order;
  bool mounted;
};

// result, name, arguments
#define BRIO_HDF5_FUNCTIONS(F)                                                                     \
  F(int, H5open, (void))                                                                           \
  F(int, H5free_memory, (void*))                                                                   \
  F(int, H5Eset_auto2, (Hdf5Id, void*, void*))                                                     \
  F(int, H5Ewalk2, (Hdf5Id, int, Hdf5ErrorWalk, void*))                                            \
  F(Hdf5Id, H5Fcreate, (const char*, unsigned, Hdf5Id, Hdf5Id))                                    \
  F(Hdf5Id, H5Fopen, (const char*, unsigned, Hdf5Id))                                              \
  F(int, H5Fclose, (Hdf5Id))                                                                       \
  F(int, H5Fflush, (Hdf5Id, int))                                                                  \
  F(ssize_t, H5Fget_file_image, (Hdf5Id, void*, size_t))                                           \
  F(int, H5Fget_vfd_handle, (Hdf5Id, Hdf5Id, void**))                                              \
  F(Hdf5Id, H5Pcreate, (Hdf5Id))                                                                   \
  F(int, H5Pclose, (Hdf5Id))                                                                       \
  F(int, H5Pset_fapl_core, (Hdf5Id, size_t, bool))                                                 \
  F(int, H5Pset_file_image, (Hdf5Id, void*, size_t))                                               \
  F(int, H5Pset_create_intermediate_group, (Hdf5Id, unsigned))                                     \
  F(int, H5Pget_external_count, (Hdf5Id))                                                          \
  F(int, H5Pget_layout, (Hdf5Id))                                                                  \
  F(Hdf5Id, H5Tcopy, (Hdf5Id))                                                                     \
  F(int, H5Tclose, (Hdf5Id))                                                                       \
  F(Hdf5Id, H5Tcreate, (int, size_t))                                                              \
  F(Hdf5Id, H5Tenum_create, (Hdf5Id))                                                              \
  F(int, H5Tenum_insert, (Hdf5Id, const char*, const void*))                                       \
  F(int, H5Tset_size, (Hdf5Id, size_t))                                                            \
  F(int, H5Tset_cset, (Hdf5Id, int))                                                               \
  F(int, H5Tset_strpad, (Hdf5Id, int))                                                             \
  F(int, H5Tset_fields, (Hdf5Id, size_t, size_t, size_t, size_t, size_t))                          \
  F(int, H5Tset_ebias, (Hdf5Id, size_t))                                                           \
  F(size_t, H5Tget_size, (Hdf5Id))                                                                 \
  F(int, H5Tget_class, (Hdf5Id))                                                                   \
  F(int, H5Tget_sign, (Hdf5Id))                                                                    \
  F(int, H5Tis_variable_str, (Hdf5Id))                                                             \
  F(Hdf5Id, H5Screate, (int))                                                                      \
  F(Hdf5Id, H5Screate_simple, (int, const Hdf5Size*, const Hdf5Size*))                             \
  F(int, H5Sclose, (Hdf5Id))                                                                       \
  F(int64_t, H5Sget_simple_extent_npoints, (Hdf5Id))                                               \
  F(int, H5Sget_simple_extent_ndims, (Hdf5Id))                                                     \
  F(int, H5Sget_simple_extent_dims, (Hdf5Id, Hdf5Size*, Hdf5Size*))                                \
  F(Hdf5Id, H5Acreate2, (Hdf5Id, const char*, Hdf5Id, Hdf5Id, Hdf5Id, Hdf5Id))                     \
  F(int, H5Awrite, (Hdf5Id, Hdf5Id, const void*))                                                  \
  F(int, H5Aclose, (Hdf5Id))                                                                       \
  F(Hdf5Id, H5Aopen_by_name, (Hdf5Id, const char*, const char*, Hdf5Id, Hdf5Id))                   \
  F(int, H5Aexists_by_name, (Hdf5Id, const char*, const char*, Hdf5Id))                            \
  F(Hdf5Id, H5Aget_type, (Hdf5Id))                                                                 \
  F(Hdf5Id, H5Aget_space, (Hdf5Id))                                                                \
  F(Hdf5Size, H5Aget_storage_size, (Hdf5Id))                                                       \
  F(int, H5Aread, (Hdf5Id, Hdf5Id, void*))                                                         \
  F(Hdf5Id, H5Gcreate2, (Hdf5Id, const char*, Hdf5Id, Hdf5Id, Hdf5Id))                             \
  F(Hdf5Id, H5Gopen2, (Hdf5Id, const char*, Hdf5Id))                                               \
  F(int, H5Gclose, (Hdf5Id))                                                                       \
  F(int, H5Gget_info, (Hdf5Id, Hdf5GroupInfo*))                                                    \
  F(ssize_t, H5Lget_name_by_idx, (Hdf5Id, const char*, int, int, Hdf5Size, char*, size_t, Hdf5Id)) \
  F(int, H5Lget_val, (Hdf5Id, const char*, void*, size_t, Hdf5Id))                                 \
  F(Hdf5Id, H5Oopen, (Hdf5Id, const char*, Hdf5Id))                                                \
  F(int, H5Oclose, (Hdf5Id))                                                                       \
  F(int, H5Iget_type, (Hdf5Id))                                                                    \
  F(Hdf5Id, H5Dcreate2, (Hdf5Id, const char*, Hdf5Id, Hdf5Id, Hdf5Id, Hdf5Id, Hdf5Id))             \
  F(Hdf5Id, H5Dopen2, (Hdf5Id, const char*, Hdf5Id))                                               \
  F(int, H5Dclose, (Hdf5Id))                                                                       \
  F(int, H5Dwrite, (Hdf5Id, Hdf5Id, Hdf5Id, Hdf5Id, Hdf5Id, const void*))                          \
  F(int, H5Dread, (Hdf5Id, Hdf5Id, Hdf5Id, Hdf5Id, Hdf5Id, void*))                                 \
  F(Hdf5Id, H5Dget_space, (Hdf5Id))                                                                \
  F(Hdf5Id, H5Dget_type, (Hdf5Id))                                                                 \
  F(Hdf5Id, H5Dget_create_plist, (Hdf5Id))                                                         \
  F(Hdf5Size, H5Dget_storage_size, (Hdf5Id))

// Numbers of the library's that are set when it is opened. (The formatter would make a staircase of them.)
// clang-format off
#define BRIO_HDF5_NUMBERS(N) \
  N(H5P_CLS_FILE_ACCESS_ID_g) \
  N(H5P_CLS_LINK_CREATE_ID_g) \
  N(H5T_C_S1_g) \
  N(H5T_IEEE_F32LE_g) \
  N(H5T_IEEE_F64LE_g) \
  N(H5T_STD_I8LE_g) \
  N(H5T_STD_I16LE_g) \
  N(H5T_STD_I32LE_g) \
  N(H5T_STD_I64LE_g) \
  N(H5T_STD_U8LE_g) \
  N(H5T_STD_U16LE_g) \
  N(H5T_STD_U32LE_g) \
  N(H5T_STD_U64LE_g)
// clang-format on

struct Hdf5Library {
#define BRIO_HDF5_MEMBER(result, name, arguments) result(*name) arguments = nullptr;
  BRIO_HDF5_FUNCTIONS(BRIO_HDF5_MEMBER)
#undef BRIO_HDF5_MEMBER
#define BRIO_HDF5_MEMBER(name) Hdf5Id name = 0;
  BRIO_HDF5_NUMBERS(BRIO_HDF5_MEMBER)
#undef BRIO_HDF5_MEMBER
};

// Loads it at the first call. Throws ResourceError where there is none, with what to install.
const Hdf5Library& hdf5_library();

}  // namespace brio::formats
