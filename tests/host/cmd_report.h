/* cmd_report.h: `agpu report`: regenerates the reports of a past run. */
#ifndef AGPU_TESTS_HOST_CMD_REPORT_H
#define AGPU_TESTS_HOST_CMD_REPORT_H

/* argv[0] is the command's own name. Returns the exit status (exit_status.h). */
int agpu_cmd_report(int argc, char **argv);

#endif
