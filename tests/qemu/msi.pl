#!/usr/bin/perl
# msi.pl QEMU DEVICE FOLDER: a machine without a processor program (QEMU's qtest), in which this script is the driver: enables
# the MSI of the device, addressed to memory, rings its doorbell and waits for the message there.
use strict;
use warnings;
use IO::Socket::UNIX;

my ($qemu, $device, $folder) = @ARGV;
my $listener = IO::Socket::UNIX->new(Local => "$folder/qtest.sock", Listen => 1) or die "socket: $!";
my $pid = fork() // die "fork: $!";
if ($pid == 0) {
    exec $qemu, '-nodefaults', '-display', 'none', '-machine', 'q35,memory-backend=ram,kernel-irqchip=off', '-accel', 'qtest',
        '-object', 'memory-backend-memfd,id=ram,size=64M,share=on', '-m', '64M', '-qtest', "unix:$folder/qtest.sock",
        '-device', $device
        or die "exec: $!";
}
my $end = time + 20;
$SIG{ALRM} = sub { fail("no answer from QEMU") };
alarm 60;
my $machine = $listener->accept or die "accept: $!";

sub fail {
    print STDERR "msi.pl: @_\n";
    kill 'KILL', $pid;
    waitpid $pid, 0;
    exit 1;
}

# One command of qtest; the value of its answer.
sub ask {
    my ($line) = @_;
    print $machine "$line\n" or fail("send: $!");
    while (my $answer = <$machine>) {
        next if $answer =~ /^IRQ/;
        fail("$line: $answer") unless $answer =~ /^OK ?(\S*)/;
        return $1 ne '' ? hex $1 : 0;
    }
    fail("QEMU is gone after: $line");
}

my $function;

sub config_address { return sprintf 'outl 0xcf8 0x%x', 0x80000000 | $function << 8 | ($_[0] & 0xfc) }
sub config_read { ask(config_address($_[0])); return ask('inl 0xcfc') }
sub config_write { ask(config_address($_[0])); ask(sprintf 'outl 0xcfc 0x%x', $_[1]) }

for my $slot (1 .. 31) {
    $function = $slot << 3;
    last if config_read(0) == 0x0001A3A0;
}
fail('no AeroGPU') unless config_read(0) == 0x0001A3A0;
my $msi = config_read(0x34) & 0xff;
fail('no MSI capability') unless (config_read($msi) & 0xff) == 5;

my ($bar, $target, $data) = (0xE0000000, 0x100000, 0x4A40);
config_write(0x10, $bar);
config_write($msi + 4, $target);
config_write($msi + 8, $data);
config_write($msi, (config_read($msi) & 0xffff) | 0x210000); # enabled, four vectors
config_write(0x04, 0x406);                                   # Memory Space, Bus Master, no INTx
ask(sprintf 'writel 0x%x 0', $target);
ask(sprintf 'writel 0x%x 1', $bar + 0x200);                  # the doorbell: the device sends vector 2

my $got = 0;
while ($got == 0 && time < $end) {
    $got = ask(sprintf 'readl 0x%x', $target);
}
fail(sprintf 'expected 0x%x at the address of the message, found 0x%x', $data | 2, $got) unless $got == ($data | 2);
kill 'KILL', $pid;
waitpid $pid, 0;
