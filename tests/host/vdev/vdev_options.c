/* vdev_options.c: the command line of `agpu vdev`. */
#include "tests/host/vdev/vdev_options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/plugin/model.h"
#include "tests/device/vfio/server.h"
#include "tests/host/list/nearest.h"
#include "tests/host/vdev/vdev_fault.h"

static const char usage[] =
    "usage: agpu vdev --socket PATH [options]\n"
    "Serves one AeroGPU device to QEMU (-device vfio-user-pci) until SIGTERM or SIGINT.\n"
    "  --socket PATH     listen on this UNIX socket; prints \"ready PATH\" when it does\n"
    "  --device FILE[,OPTIONS]  a device as a shared library (agpu_device_plugin.h) instead of the model\n"
    "  --abi WHICH       " VGPU_MODEL_ABIS " (default 1.4)\n"
    "  --fault NAME      a model with this fault of tests/faults, built by tests/run --fault NAME\n"
    "  --list-faults     print the faults with which a model is built, and exit\n"
    "  --check           only create the device: exit status 0, or 2 with the reason on standard error\n"
    "  --ready-fd N      also write the ready line to this descriptor, and close it\n"
    "  --log FILE        write the log to FILE instead of standard error\n"
    "  --once            exit when the first client disconnects\n"
    "  --save-restore N[,SEED]  save, destroy, create and load the device after every N service points on\n"
    "                    average, at distances chosen by SEED (default 1); BAR1 is not offered for mapping\n"
    "  --no-bar1-mmap    do not offer BAR1 for mapping: BAR1 slower, register writes faster\n"
    "  --submission-log FILE  write one line of JSON for each submission\n"
    "  --capture FILE    record the traffic between machine and device, as the device sees it: agpu decode,\n"
    "                    agpu replay\n"
    "  --control PATH    UNIX socket that answers questions about the running device: send help\n"
    "  --evidence PREFIX at SIGUSR1, write the device's picture and state to PREFIX-picture.png and\n"
    "                    PREFIX-state.txt\n"
    "  --spin-us N       time to poll for the next message before sleeping, microseconds\n";

/* Parses a decimal integer up to max. */
static bool parse_option_number(const char *text, uint64_t max, uint64_t *value)
{
    char *end;
    unsigned long long number;

    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    number = strtoull(text, &end, 10);
    *value = number;
    return errno == 0 && *end == '\0' && number <= max;
}

static bool parse_ready_fd(const char *text, int *fd)
{
    uint64_t number;

    if (!parse_option_number(text, INT16_MAX, &number) || fcntl((int)number, F_GETFD) < 0) {
        fprintf(stderr, "agpu vdev: --ready-fd %s: expected the number of an open descriptor\n", text);
        return false;
    }
    *fd = (int)number;
    return true;
}

static bool parse_spin(const char *text, uint64_t *ns)
{
    uint64_t us;

    if (!parse_option_number(text, 1000000, &us)) {
        fprintf(stderr, "agpu vdev: --spin-us %s: expected 0 to 1000000 microseconds\n", text);
        return false;
    }
    *ns = us * 1000;
    return true;
}

static bool parse_save(const char *text, struct vgpu_save_schedule *save)
{
    if (!vgpu_save_parse(text, save)) {
        fprintf(stderr, "agpu vdev: --save-restore %s: " VGPU_SAVE_EXPECTED "\n", text);
        return false;
    }
    return true;
}

static bool is_abi(void *ctx, const char *word)
{
    struct vgpu_device_config unused = {0};

    (void)ctx;
    return vgpu_model_abi(word, &unused);
}

static bool check_abi(const char *name)
{
    struct agpu_nearest nearest = {0};

    if (is_abi(NULL, name)) {
        return true;
    }
    agpu_nearest_add_words(&nearest, name, VGPU_MODEL_ABIS " 1.1 1.2 1.3", is_abi, NULL);
    fprintf(stderr, "agpu vdev: --abi %s: expected %s; the nearest: %s\n", name, VGPU_MODEL_ABIS,
            nearest.names[0]);
    return false;
}

enum {
    OPT_SOCKET = 1,
    OPT_DEVICE,
    OPT_ABI,
    OPT_FAULT,
    OPT_LIST_FAULTS,
    OPT_READY_FD,
    OPT_LOG,
    OPT_ONCE,
    OPT_NO_MMAP,
    OPT_SPIN,
    OPT_SAVE_RESTORE,
    OPT_SUBMISSION_LOG,
    OPT_CAPTURE,
    OPT_CONTROL,
    OPT_EVIDENCE,
    OPT_CHECK,
    OPT_HELP
};

enum agpu_vdev_options_result agpu_vdev_options_parse(int argc, char **argv,
                                                      struct agpu_vdev_options *options)
{
    static const struct option known[] = {
        {"socket", required_argument, NULL, OPT_SOCKET},
        {"device", required_argument, NULL, OPT_DEVICE},
        {"abi", required_argument, NULL, OPT_ABI},
        {"fault", required_argument, NULL, OPT_FAULT},
        {"list-faults", no_argument, NULL, OPT_LIST_FAULTS},
        {"ready-fd", required_argument, NULL, OPT_READY_FD},
        {"log", required_argument, NULL, OPT_LOG},
        {"once", no_argument, NULL, OPT_ONCE},
        {"no-bar1-mmap", no_argument, NULL, OPT_NO_MMAP},
        {"spin-us", required_argument, NULL, OPT_SPIN},
        {"save-restore", required_argument, NULL, OPT_SAVE_RESTORE},
        {"submission-log", required_argument, NULL, OPT_SUBMISSION_LOG},
        {"capture", required_argument, NULL, OPT_CAPTURE},
        {"control", required_argument, NULL, OPT_CONTROL},
        {"evidence", required_argument, NULL, OPT_EVIDENCE},
        {"check", no_argument, NULL, OPT_CHECK},
        {"help", no_argument, NULL, OPT_HELP},
        {0},
    };
    const char *model = NULL; /* the name of an option that only our model supports */
    bool good = true;
    int option;

    *options = (struct agpu_vdev_options){.ready_fd = -1, .map_vram = true, .spin_ns = VGPU_VFIO_SPIN_NS};
    optind = 1;
    while (good && (option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case OPT_SOCKET:
            options->socket = optarg;
            break;
        case OPT_DEVICE:
            options->device = optarg;
            break;
        case OPT_ABI:
            model = "--abi";
            options->abi = optarg;
            good = check_abi(optarg);
            break;
        case OPT_FAULT:
            model = "--fault";
            options->fault = optarg;
            break;
        case OPT_READY_FD:
            good = parse_ready_fd(optarg, &options->ready_fd);
            break;
        case OPT_LOG:
            options->log = optarg;
            break;
        case OPT_ONCE:
            options->once = true;
            break;
        case OPT_NO_MMAP:
            options->map_vram = false;
            break;
        case OPT_SPIN:
            good = parse_spin(optarg, &options->spin_ns);
            break;
        case OPT_SAVE_RESTORE:
            options->map_vram = false;
            good = parse_save(optarg, &options->save);
            break;
        case OPT_SUBMISSION_LOG:
            model = "--submission-log";
            options->submission_log = optarg;
            break;
        case OPT_CAPTURE:
            options->capture = optarg;
            break;
        case OPT_CONTROL:
            model = "--control";
            options->control = optarg;
            break;
        case OPT_EVIDENCE:
            options->evidence = optarg;
            break;
        case OPT_CHECK:
            options->check = true;
            break;
        case OPT_LIST_FAULTS:
            agpu_vdev_faults_list();
            return AGPU_VDEV_OPTIONS_HELP;
        case OPT_HELP:
            fputs(usage, stdout);
            return AGPU_VDEV_OPTIONS_HELP;
        default:
            good = false;
            break;
        }
    }
    if (good && ((options->socket == NULL && !options->check) || optind != argc)) {
        fputs(usage, stderr);
        good = false;
    }
    if (good && options->device != NULL && model != NULL) {
        fprintf(stderr, "agpu vdev: %s inspects the project's model; it cannot be combined with --device\n",
                model);
        good = false;
    }
    if (good && options->fault != NULL && (options->submission_log != NULL || options->control != NULL)) {
        fprintf(stderr,
                "agpu vdev: %s inspects the model of this program; it cannot be combined with --fault\n",
                options->control != NULL ? "--control" : "--submission-log");
        good = false;
    }
    if (good && options->save.every != 0 && options->submission_log != NULL) {
        fputs("agpu vdev: --submission-log logs one device; --save-restore replaces it: leave one out\n",
              stderr);
        good = false;
    }
    good = good && agpu_vdev_fault_is_built(options->fault);
    return good ? AGPU_VDEV_OPTIONS_SERVE : AGPU_VDEV_OPTIONS_BAD;
}
