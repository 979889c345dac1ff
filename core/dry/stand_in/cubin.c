/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels that are loaded at run time (Triton, run-time compilation) do nothing, but their code says how many registers they take.
   Inductor times a kernel with smaller tiles, too, where a thread takes more than its share, and that needs memory: a buffer as
   large as the cache. The numbers are those of the ELF file that ptxas wrote, in its section .nv.info: entries of a format, an
   attribute, a size, and for these two the kernel's symbol and a number (as `cuobjdump --dump-resource-usage` prints). */
#define _GNU_SOURCE
#include "stand_in.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MACHINE_CUDA = 190, SIZED = 4, FRAME_SIZE = 0x11, REGISTERS = 0x2f };

struct kernel {
    struct kernel *next;
    const void *module;
    char *name;
    int registers, local_bytes;
};

static struct kernel *kernels; /* of all modules; none is ever taken out, since a handle may outlive its module */
static pthread_mutex_t kernels_lock = PTHREAD_MUTEX_INITIALIZER;

static struct kernel *kernel_named(const void *module, const char *name)
{
    struct kernel *kernel = kernels;
    while (kernel && (kernel->module != module || strcmp(kernel->name, name) != 0))
        kernel = kernel->next;
    return kernel;
}

static void note_attribute(const void *module, const char *name, int attribute, int value)
{
    struct kernel *kernel = kernel_named(module, name);
    if (!kernel) {
        kernel = calloc(1, sizeof *kernel);
        if (!kernel || !(kernel->name = strdup(name))) {
            free(kernel);
            return;
        }
        kernel->module = module;
        kernel->registers = 32;
        kernel->next = kernels;
        kernels = kernel;
    }
    if (attribute == REGISTERS)
        kernel->registers = value;
    else
        kernel->local_bytes = value;
}

/* An image comes without a size: its header tells where the table of sections ends, the last part of what ptxas writes. */
static void read_image(const void *module, const char *image)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)image;
    if (memcmp(image, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != MACHINE_CUDA ||
        head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shstrndx >= head->e_shnum)
        return;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + head->e_shoff);
    const char *names = image + sections[head->e_shstrndx].sh_offset;
    const Elf64_Shdr *info = NULL, *symbols = NULL;
    for (int i = 0; i < head->e_shnum; ++i) {
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < head->e_shnum)
            symbols = &sections[i];
        else if (strcmp(names + sections[i].sh_name, ".nv.info") == 0)
            info = &sections[i];
    }
    if (!info || !symbols)
        return;
    const Elf64_Sym *symbol = (const Elf64_Sym *)(image + symbols->sh_offset);
    const char *strings = image + sections[symbols->sh_link].sh_offset;
    const unsigned char *at = (const unsigned char *)image + info->sh_offset, *end = at + info->sh_size;
    while (end - at >= 4) {
        uint16_t size = 0;
        uint32_t entry[2];
        if (at[0] == SIZED)
            memcpy(&size, at + 2, sizeof size);
        if (end - at < 4 + size)
            return;
        if (size >= sizeof entry && (at[1] == REGISTERS || at[1] == FRAME_SIZE)) {
            memcpy(entry, at + 4, sizeof entry);
            if (entry[0] < symbols->sh_size / sizeof *symbol)
                note_attribute(module, strings + symbol[entry[0]].st_name, at[1], (int)entry[1]);
        }
        at += 4 + size;
    }
}

EXPORT int cuModuleLoadData(void **module, const void *image)
{
    *module = new_handle();
    if (image) {
        pthread_mutex_lock(&kernels_lock);
        read_image(*module, image);
        pthread_mutex_unlock(&kernels_lock);
    }
    return OK;
}
EXPORT int cuModuleLoadDataEx(void **module, const void *image) { return cuModuleLoadData(module, image); }
EXPORT int cuModuleLoad(void **module, const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    void *image = MAP_FAILED;
    if (file >= 0 && fstat(file, &facts) == 0 && facts.st_size > (off_t)sizeof(Elf64_Ehdr))
        image = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        close(file);
    const int status = cuModuleLoadData(module, image == MAP_FAILED ? NULL : image);
    if (image != MAP_FAILED)
        munmap(image, (size_t)facts.st_size);
    return status;
}
EXPORT int cuModuleUnload(UNUSED void *module) { return OK; }
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
    pthread_mutex_lock(&kernels_lock);
    *function = kernel_named(module, name);
    pthread_mutex_unlock(&kernels_lock);
    if (!*function)
        *function = new_handle();
    return OK;
}
EXPORT int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    pthread_mutex_lock(&kernels_lock);
    const struct kernel *kernel = kernels;
    while (kernel && kernel != function)
        kernel = kernel->next;
    pthread_mutex_unlock(&kernels_lock);
    switch (attribute) {
    case 0: /* threads of a block */
        *value = 1024;
        break;
    case 3: /* bytes of local memory: what does not fit into registers */
        *value = kernel ? kernel->local_bytes : 0;
        break;
    case 4:
        *value = kernel ? kernel->registers : 32;
        break;
    case 5: /* of PTX, of the code */
    case 6:
        *value = (int)(card.major * 10 + card.minor);
        break;
    default: /* shared and constant memory */
        *value = 0;
    }
    return OK;
}
