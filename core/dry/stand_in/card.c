/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The card that is acted out, read once as the library is loaded; and the report that is left behind. */
#define _GNU_SOURCE
#include "stand_in.h"

#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct card card;

static const struct {
    const char *key;
    long long *to;
} kNumbers[] = {
    {"bytes", &card.bytes},         {"context_bytes", &card.context_bytes},
    {"major", &card.major},         {"minor", &card.minor},
    {"sms", &card.sms},             {"threads_sm", &card.threads_sm},
    {"shared_sm", &card.shared_sm}, {"shared_block", &card.shared_block},
    {"l2", &card.l2},               {"bus", &card.bus},
    {"clock", &card.clock},         {"memory_clock", &card.memory_clock},
    {"built", &card.built},         {"devices", &card.devices},
    {"runtime", &card.runtime},     {"cudnn", &card.cudnn},
    {"nccl", &card.nccl},           {"behind", &card.behind},
};

static void refuse(const char *what)
{
    fprintf(stderr, "peakscope: the stand-in of a CUDA card was loaded %s; it is loaded by peakscope-cli for --device dry:CARD\n",
            what);
    _exit(2);
}

__attribute__((constructor)) static void read_card(void)
{
    const char *said = getenv("PEAKSCOPE_DRY");
    if (!said)
        refuse("without PEAKSCOPE_DRY");
    char *words = strdup(said), *rest = words;
    for (char *word; (word = strsep(&rest, ";"));) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = 0;
        if (strcmp(word, "name") == 0)
            snprintf(card.name, sizeof card.name, "%s", value);
        for (size_t i = 0; i < sizeof kNumbers / sizeof *kNumbers; ++i) {
            if (strcmp(word, kNumbers[i].key) == 0)
                *kNumbers[i].to = strtoll(value, NULL, 10);
        }
    }
    free(words);
    if (card.bytes <= 0 || card.major <= 0 || card.sms <= 0 || card.runtime / 1000 != CUDA_MAJOR)
        refuse("with a PEAKSCOPE_DRY that is not understood");
    /* What this process starts, a compiler or a shell, is no part of the dry run. */
    unsetenv("LD_PRELOAD");
}

/* ---- what happened, for the launcher */

struct counts counts;
#define MOST_NAMES 256
struct names {
    const char *name[MOST_NAMES];
    size_t count;
};
static struct names unanswered, refused, at_least;

static void note(struct names *names, const char *name)
{
    pthread_mutex_lock(&account_lock);
    if (names->count < MOST_NAMES)
        names->name[names->count++] = name;
    pthread_mutex_unlock(&account_lock);
}
void note_unanswered(const char *name) { note(&unanswered, name); }
void note_refused(const char *name) { note(&refused, name); }
void note_at_least(const char *name) { note(&at_least, name); }

static void write_names(FILE *file, const char *key, const struct names *names)
{
    fprintf(file, ", \"%s\": [", key);
    for (size_t i = 0; i < names->count; ++i)
        fprintf(file, "%s\"%s\"", i ? ", " : "", names->name[i]);
    fprintf(file, "]");
}

static void write_counts(FILE *file)
{
    fprintf(file,
            "{\"peak_used_bytes\": %llu, \"launches\": %llu, \"unknown_answers\": {\"flag\": %llu, \"count\": %llu, "
            "\"other\": %llu}, \"not_ready\": %llu, \"communicators\": %llu, \"all_to_all\": %llu, "
            "\"nccl\": {\"all_reduce\": [%llu, %llu], \"reduce_scatter\": [%llu, %llu], \"all_gather\": [%llu, %llu], "
            "\"on_default_stream\": %llu, \"of_host_memory\": %llu}",
            (unsigned long long)counts.peak_used, (unsigned long long)counts.launches,
            (unsigned long long)counts.read_flags, (unsigned long long)counts.read_counts,
            (unsigned long long)counts.read_others, (unsigned long long)counts.not_ready,
            (unsigned long long)counts.communicators, (unsigned long long)counts.all_to_all,
            (unsigned long long)counts.all_reduce.calls, (unsigned long long)counts.all_reduce.bytes,
            (unsigned long long)counts.reduce_scatter.calls, (unsigned long long)counts.reduce_scatter.bytes,
            (unsigned long long)counts.all_gather.calls, (unsigned long long)counts.all_gather.bytes,
            (unsigned long long)counts.on_default_stream, (unsigned long long)counts.of_host_memory);
    write_names(file, "called_without_body", &unanswered);
    write_names(file, "refused", &refused);
    write_names(file, "at_least", &at_least);
    fprintf(file, "}\n");
}

/* For the process itself; to be freed by it. */
EXPORT char *peakscope_report(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    write_counts(file);
    fclose(file);
    return text;
}

/* A process that forked inherits the counts, but the report is of the one that was started. */
static pid_t reporter;
__attribute__((constructor)) static void remember_process(void) { reporter = getpid(); }

__attribute__((destructor)) static void write_report(void)
{
    const char *path = getenv("PEAKSCOPE_DRY_REPORT");
    if (!path || getpid() != reporter)
        return;
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    write_counts(file);
    fclose(file);
}

/* Ends the process as it stands, with the report and what C keeps in buffers. */
EXPORT void peakscope_leave(int status)
{
    write_report();
    fflush(NULL);
    _exit(status);
}
