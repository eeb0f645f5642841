#!/bin/sh
# bench/netlab.sh - a small network on this machine: each host is a network namespace, whose link to a bridge has a limited rate.
#    bench/netlab.sh N RATE COMMAND...      runs COMMAND, which finds the hosts n1 ... nN in $NETLAB_HOSTS, for mpirun -H
#    bench/netlab.sh 4 200mbit build/bin/th bench/netlab.lua
# Root only. NETLAB_MTU=9000 sets long frames. The network ends with the command. `$NETLAB_CUT i` disconnects host i.
set -e
if [ "$NETLAB_INSIDE" != 1 ]; then
  [ $# -ge 3 ] || { echo "usage: $0 N RATE COMMAND..." >&2; exit 2; }
  exec env NETLAB_INSIDE=1 unshare -mn --propagation private sh "$0" "$@"
fi
n=$1 rate=$2 mtu=${NETLAB_MTU:-1500}
shift 2
mount -t tmpfs none /run
dir=$(mktemp -d /run/netlab.XXXXXX)
ip link set lo up
ip link add br0 type bridge
ip addr add 10.77.0.254/24 dev br0
ip link set br0 up
hosts=
for i in $(seq "$n"); do
  ip netns add "n$i"
  ip link add "v$i" mtu "$mtu" type veth peer name "e$i" mtu "$mtu"
  ip link set "e$i" netns "n$i"
  ip link set "v$i" master br0 up
  ip netns exec "n$i" ip link set lo up
  ip netns exec "n$i" ip addr add "10.77.0.$i/24" dev "e$i"
  ip netns exec "n$i" ip link set "e$i" up
  tc qdisc add dev "v$i" root tbf rate "$rate" burst 128kb latency 50ms
  ip netns exec "n$i" tc qdisc add dev "e$i" root tbf rate "$rate" burst 128kb latency 50ms
  hosts="$hosts${hosts:+,}n$i:1"
done
cat >"$dir/agent" <<'AGENT'
#!/bin/sh
host=$1
shift
export TH_DIST_HOST="$host" TMPDIR="/run/$host"        # Open MPI's daemons must not find each other's files
mkdir -p "$TMPDIR"
exec ip netns exec "$host" sh -c "$*"
AGENT
cat >"$dir/cut" <<'CUT'
#!/bin/sh
exec nsenter -t "$NETLAB_PID" -n ip link set "v$1" down
CUT
chmod +x "$dir/agent" "$dir/cut"
export NETLAB_HOSTS="$hosts" NETLAB_N="$n" NETLAB_RATE="$rate" NETLAB_CUT="$dir/cut" NETLAB_PID=$$
export OMPI_MCA_plm_rsh_agent="$dir/agent" OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self
export OMPI_MCA_btl_tcp_if_include=10.77.0.0/24 OMPI_MCA_oob_tcp_if_include=10.77.0.0/24 OMPI_MCA_orte_base_help_aggregate=0
"$@"
